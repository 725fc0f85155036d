#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/api_pix/call_limits.h"

namespace pixledger::workers {

// A bank's refusal, for operators and for deciding. Of what banks write it holds only what says what is
// wrong: never a field's value, a run of digits (a document, a phone, an account), an e-mail address or a
// name in a field of its own.
struct BankError {
  int status = 0;
  std::string type;  // "CobOperacaoInvalida", "txid_duplicado", "invalid_client"; empty: not told
  std::vector<std::string> reasons;   // "cob.chave: …", at most 8 of at most 140 characters
  bool names_text_for_payer = false;  // its body says something of solicitacaoPagador
  // What its texts for people say is not there, each by one of a few names of ours ("pix", "devolucao").
  std::vector<std::string_view> missing = {};
};

// In BankError::missing for whatever was asked about: "Nenhum registro".
inline constexpr std::string_view kAnyRecord = "registro";

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

// The bank knows no such thing.
struct NotFound {
  // It says so itself, in one of the spellings of "nothing": an error that is about that, or an answer
  // without content. Without it the status alone says so (404), which an address that is wrong has as well.
  bool is_told = false;
};

// The id is used already, for the same order or another: reading tells.
struct Duplicate {};

// The bank will not, and asking again the same way will not change that.
struct Refused {
  BankError error;
  bool of_token = false;   // it gives no token, and has not seen what was asked
  bool is_unread = false;  // of make_…: the bank could not be asked what it has nevertheless
};

// The client is not let in, which says nothing of what was asked.
inline bool denies_access(const Refused& refused) {
  return refused.of_token || refused.error.status == kUnauthorized || refused.error.status == kForbidden;
}

// Nothing was carried out now: the bank is overloaded or does not work, or it is too early. `until` is the
// moment from which on it may be tried again.
struct Unavailable {
  BootTime until;
  std::string reason;
  bool was_sent = false;  // the bank had the question, and may manage a smaller one
};

// The bank answered what cannot be used: it cannot be read, or is about another txid, amount or key. Whatever
// was asked for may be done; an operator has to look.
struct Unusable {
  std::string reason;
  bool has_too_many = false;       // more entries than are looked at: a smaller question may help
  bool may_hold_payments = false;  // it has content that is not read
};

// What one operation came to: its value, or why there is none. OutcomeUnknown: the bank may have done it.
template <class Done>
using BankResult = std::variant<Done, NotFound, Duplicate, Refused, OutcomeUnknown, Unavailable, Unusable>;

// For metrics: "done", "not_found", "duplicate", "refused", "unknown", "unavailable", "unusable".
template <class Done>
constexpr std::string_view outcome_name(const BankResult<Done>& result) {
  constexpr std::string_view kNames[] = {"done",    "not_found",   "duplicate", "refused",
                                         "unknown", "unavailable", "unusable"};
  return kNames[result.index()];
}

// Why there is no value, in one line for people. `result` holds none.
template <class Done>
std::string problem_of(const BankResult<Done>& result) {
  if (const auto* const found = std::get_if<Refused>(&result)) return to_string(found->error);
  if (const auto* const found = std::get_if<OutcomeUnknown>(&result)) return found->reason;
  if (const auto* const found = std::get_if<Unavailable>(&result)) return found->reason;
  if (const auto* const found = std::get_if<Unusable>(&result)) return found->reason;
  return std::holds_alternative<NotFound>(result) ? "the bank knows no such thing" : "the id is used already";
}

// The same failure of another operation. `result` holds no value.
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
