#pragma once

#include <string>
#include <variant>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/bank_error.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/api_pix/boot_time.h"

namespace pixledger::workers {

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
  bool has_too_many = false;  // more entries than are looked at: a smaller question may help
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
