#include "workers/banks/api_pix/answer_status.h"

#include <algorithm>
#include <utility>

#include "base/net/http_status.h"

namespace pixledger::workers {
namespace {

bool ends_so(std::string_view type, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return type.ends_with(ending); });
}

}  // namespace

BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer) {
  const int status = answer.status;
  if (status >= kOk && status < kFirstRedirect) return Accepted{std::move(answer.body)};
  auto error = read_bank_error(status, answer.body,
                               is_about_a_payer(operation) ? ErrorText::kLeftOut : ErrorText::kRead);
  if (status == kTooManyRequests) return Unavailable{BootTime(0), to_string(error), true};
  if (status >= kFirstServerError) {
    if (changes_something(operation)) return OutcomeUnknown{to_string(error)};
    return Unavailable{BootTime(0), to_string(error), true};
  }
  // Who is not let in is told of no payments, whatever the error is called.
  const bool is_denied = status == kUnauthorized || status == kForbidden;
  const bool is_told = !is_denied && status >= kBadRequest && means_not_found(profile, operation, error.type);
  if (is_told || status == kNotFound) return NotFound{is_told};
  if (status == kConflict) return Duplicate{};
  if (status >= kBadRequest && ends_so(error.type, profile.duplicate_endings)) return Duplicate{};
  return Refused{std::move(error)};
}

bool is_fault(const CallResult& result) {
  const auto* const answer = std::get_if<Answered>(&result);
  return answer == nullptr || answer->status >= kFirstServerError;
}

bool asks_for_less(const Answered& answer) {
  return answer.status == kTooManyRequests || answer.status == kServiceUnavailable;
}

}  // namespace pixledger::workers
