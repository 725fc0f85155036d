#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/api_pix/call_limits.h"

namespace pixledger::workers {

// A bank's refusal, for operators and for decisions. Of a bank's texts it keeps only what says what is wrong:
// never a field's value, a run of digits (a document, a phone, an account), an e-mail address or a name in a
// field of its own.
struct BankError {
  int status = 0;
  std::string type;  // "CobOperacaoInvalida", "txid_duplicado", "invalid_client"; empty: not told
  std::vector<std::string> reasons;   // "cob.chave: …", at most 8 of at most 140 characters
  bool names_text_for_payer = false;  // its body mentions solicitacaoPagador
  // Our names ("pix", "devolucao") of what its texts for people call missing.
  std::vector<std::string_view> missing = {};
};

// In BankError::missing if the text names no subject: "Nenhum registro".
inline constexpr std::string_view kAnyRecord = "registro";

// Whether to read an error's text for people. Banks write anything in it: with a payment, its payer's name,
// which no rule can detect.
enum class ErrorText {
  kRead,
  kLeftOut  // reasons keep only names of fields
};

// Reads any body: the document's problem details with their violations, {nome, mensagem}, {erros: [{codigo,
// mensagem}]}, {error, error_description}, HTML, SOAP, nothing.
BankError read_bank_error(int status, const std::string& body, ErrorText text);

// "403 AcessoNegado: …", one line.
std::string to_string(const BankError& error);

// Makes a bank's text for people safe: one line of at most 140 characters, with # for e-mail addresses and
// for runs of 5 digits or more, also with punctuation within.
std::string without_personal_data(std::string_view text);

// The bank does not know the subject.
struct NotFound {
  // The bank says so itself, in one of the spellings of "nothing": an error about the subject, or an answer
  // without content. False: only the status says so (404), which a wrong address has as well.
  bool is_told = false;
};

// The id is in use, for the same order or another: read to find out.
struct Duplicate {};

// The bank refuses, and an identical retry will not change that.
struct Refused {
  BankError error;
  bool of_token = false;   // it refused a token and has not seen the request
  bool is_unread = false;  // of make_…: what the bank has could not be read
};

// The client has no access, which says nothing about the request.
inline bool denies_access(const Refused& refused) {
  return refused.of_token || refused.error.status == kUnauthorized || refused.error.status == kForbidden;
}

// Nothing was carried out: the bank is overloaded or down, or it is too early. Retry from `until` on.
struct Unavailable {
  BootTime until;
  std::string reason;
  bool was_sent = false;  // the bank had the request, and may answer a smaller one
};

// The bank's answer is unreadable, or is about another txid, amount or key. The request may have been carried
// out; an operator has to check.
struct Unusable {
  std::string reason;
  bool has_too_many = false;       // more entries than are read: a smaller request may help
  bool may_hold_payments = false;  // it has unread content
};

// The outcome of an operation: its value, or why it has no value. OutcomeUnknown: the bank may have carried
// it out.
template <class Done>
using BankResult = std::variant<Done, NotFound, Duplicate, Refused, OutcomeUnknown, Unavailable, Unusable>;

// For metrics: "done", "not_found", "duplicate", "refused", "unknown", "unavailable", "unusable".
template <class Done>
constexpr std::string_view outcome_name(const BankResult<Done>& result) {
  constexpr std::string_view kNames[] = {"done",    "not_found",   "duplicate", "refused",
                                         "unknown", "unavailable", "unusable"};
  return kNames[result.index()];
}

// Returns why there is no value, in one line for people. `result` must hold no value.
template <class Done>
std::string problem_of(const BankResult<Done>& result) {
  if (const auto* const found = std::get_if<Refused>(&result)) return to_string(found->error);
  if (const auto* const found = std::get_if<OutcomeUnknown>(&result)) return found->reason;
  if (const auto* const found = std::get_if<Unavailable>(&result)) return found->reason;
  if (const auto* const found = std::get_if<Unusable>(&result)) return found->reason;
  return std::holds_alternative<NotFound>(result) ? "the bank knows no such thing" : "the id is used already";
}

// Converts a failure to another operation's result. `result` must hold no value.
template <class Done, class Other>
BankResult<Done> failure_of(BankResult<Other> result) {
  if (auto* const found = std::get_if<NotFound>(&result)) return std::move(*found);
  if (auto* const found = std::get_if<Duplicate>(&result)) return std::move(*found);
  if (auto* const found = std::get_if<Refused>(&result)) return std::move(*found);
  if (auto* const found = std::get_if<OutcomeUnknown>(&result)) return std::move(*found);
  if (auto* const found = std::get_if<Unavailable>(&result)) return std::move(*found);
  return std::move(std::get<Unusable>(result));
}

}  // namespace pixledger::workers
