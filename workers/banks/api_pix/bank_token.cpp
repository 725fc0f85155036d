#include "workers/banks/api_pix/bank_token.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/net/http_status.h"

namespace pixledger::workers {
namespace {

bool is_good(int status) { return status == 200 || status == 201; }

}  // namespace

BankToken::Result BankToken::get() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto now = boot_time(clock_);
    if (auto result = known(now)) return *std::move(result);
    if (!asking_) break;
    asked_.wait(lock);
  }
  asking_ = true;
  const auto now = boot_time(clock_);
  asked_at_ = now;
  lock.unlock();
  auto answer = ask();
  lock.lock();
  asking_ = false;
  auto result = judge(std::move(answer), now);
  if (std::holds_alternative<TokenGrant>(result))
    failure_.reset();
  else
    failure_ = result;
  // One that still holds does while no other can be had.
  if (failure_ && held_ && boot_time(clock_) < held_->ends_at) result = held_->grant;
  lock.unlock();
  asked_.notify_all();
  return result;
}

// Whatever goes wrong, those that wait must not wait for ever.
CallResult BankToken::ask() const {
  try {
    return ask_();
  } catch (const std::exception& error) {
    return OutcomeUnknown{error.what()};
  }
}

// What can be said without asking now; nullopt: somebody has to ask, or is asking.
std::optional<BankToken::Result> BankToken::known(BootTime now) const {
  const bool may_ask = !asked_at_ || now >= *asked_at_ + kAskEvery;
  if (held_ && now < held_->ends_at && (now < held_->renew_at || asking_ || !may_ask)) return held_->grant;
  if (asking_ || may_ask) return std::nullopt;
  const auto until = *asked_at_ + kAskEvery;
  if (!failure_) return Unavailable{until, "the bank has just given a token that it does not take"};
  if (const auto* const unavailable = std::get_if<Unavailable>(&*failure_))
    return Unavailable{std::max(unavailable->until, until), unavailable->reason};
  return failure_;
}

BankToken::Result BankToken::judge(CallResult answer, BootTime asked_at) {
  const auto until = asked_at + kAskEvery;
  if (const auto* const unsent = std::get_if<NotSent>(&answer))
    return Unavailable{until, "token: " + unsent->reason};
  if (const auto* const unknown = std::get_if<OutcomeUnknown>(&answer))
    return Unavailable{until, "token: " + unknown->reason};
  const auto& answered = std::get<Answered>(answer);
  if (!is_good(answered.status)) {
    auto error = read_bank_error(answered.status, answered.body, ErrorText::kRead);
    if (answered.status == kTooManyRequests || answered.status >= kFirstServerError)
      return Unavailable{until, "token: " + to_string(error)};
    return Refused{.error = std::move(error), .of_token = true};
  }
  auto parsed = parse_token(answered.body);
  if (const auto* const bad = std::get_if<BadAnswer>(&parsed))
    return Unavailable{until, "token: " + bad->reason};
  return hold(std::get<BankTokenAnswer>(std::move(parsed)), asked_at);
}

BankToken::Result BankToken::hold(BankTokenAnswer answer, BootTime asked_at) {
  const BootTime life = std::chrono::seconds(answer.expires_in_s);
  // Of a short one half is used.
  const auto renew_after = std::max<BootTime>(life - kRenewBefore, life / 2);
  held_ = Held{.grant = {std::move(answer.token), std::move(answer.scopes)},
               .renew_at = asked_at + renew_after,
               .ends_at = asked_at + life};
  return held_->grant;
}

void BankToken::go_on_from(const BankToken& other) {
  const std::scoped_lock lock(mutex_, other.mutex_);
  held_ = other.held_;
  asked_at_ = other.held_ ? other.asked_at_ : std::nullopt;
}

void BankToken::reject(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (held_ && held_->grant.token == token) held_.reset();
}

}  // namespace pixledger::workers
