#include "workers/providers/api_pix/answer_status.h"

#include <algorithm>
#include <utility>

namespace pixledger::workers {
namespace {

constexpr int kFirstYes = 200;
constexpr int kFirstRedirect = 300;
constexpr int kFirstClientError = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kTooManyRequests = 429;
constexpr int kFirstServerError = 500;
constexpr int kUnavailable = 503;

bool ends_so(std::string_view type, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return type.ends_with(ending); });
}

}  // namespace

BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer) {
  const int status = answer.status;
  if (status >= kFirstYes && status < kFirstRedirect) return Accepted{std::move(answer.body)};
  auto error = read_bank_error(status, answer.body,
                               is_about_a_payer(operation) ? ErrorText::kLeftOut : ErrorText::kRead);
  if (status == kTooManyRequests) return Unavailable{BootTime(0), to_string(error), true};
  if (status >= kFirstServerError) {
    if (changes_something(operation)) return OutcomeUnknown{to_string(error)};
    return Unavailable{BootTime(0), to_string(error), true};
  }
  // Who is not let in is told of no payments, whatever the error is called.
  const bool is_denied = status == kUnauthorized || status == kForbidden;
  const bool is_told =
      !is_denied && status >= kFirstClientError && means_not_found(profile, operation, error.type);
  if (is_told || status == kNotFound) return NotFound{is_told};
  if (status == kConflict) return Duplicate{};
  if (status >= kFirstClientError && ends_so(error.type, profile.duplicate_endings)) return Duplicate{};
  return Refused{std::move(error)};
}

bool is_fault(const CallResult& result) {
  const auto* const answer = std::get_if<Answered>(&result);
  return answer == nullptr || answer->status >= kFirstServerError;
}

bool asks_for_less(const Answered& answer) {
  return answer.status == kTooManyRequests || answer.status == kUnavailable;
}

}  // namespace pixledger::workers
