#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pixledger::workers {

// A bank's refusal, for operators and for deciding. Of what banks write it holds only what says what is
// wrong: never a field's value, a run of digits (a document, a phone, an account), an e-mail address or a
// name in a field of its own.
struct BankError {
  int status = 0;
  std::string type;  // "CobOperacaoInvalida", "txid_duplicado", "invalid_client"; empty: not told
  std::vector<std::string> reasons;   // "cob.chave: …", at most 8 of at most 140 characters
  bool names_text_for_payer = false;  // its body says something of solicitacaoPagador
};

// Whether an error's text for people is read. Banks write in it what they like: with a payment, its payer's
// name, which no rule can find.
enum class ErrorText {
  kRead,
  kLeftOut  // of reasons only the names of fields are left
};

// From any body whatever: the document's problem details with their violations, {nome, mensagem},
// {erros: [{codigo, mensagem}]}, {error, error_description}, HTML, SOAP, nothing.
BankError read_bank_error(int status, const std::string& body, ErrorText text);

// "403 AcessoNegado: …", one line.
std::string to_string(const BankError& error);

// Text of a bank's for people: one line of at most 140 characters, with # for runs of 5 digits and more, also
// with punctuation within, and for e-mail addresses.
std::string without_personal_data(std::string_view text);

}  // namespace pixledger::workers
