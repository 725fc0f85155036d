#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_result.h"

namespace pixledger::workers {

// What a bank lets the client do.
struct TokenGrant {
  std::string token;
  std::optional<std::vector<std::string>> scopes;  // that it covers; nullopt: the bank does not say
};

// The token of one connection: asked for when first needed and again 60 s before its end, by one thread for
// all, and at most once in 10 s, since banks block who asks too often. Thread-safe.
class BankToken {
 public:
  static constexpr std::chrono::seconds kRenewBefore{60};
  static constexpr std::chrono::seconds kAskEvery{10};

  using Result = std::variant<TokenGrant, Refused, Unavailable>;
  // Asks the bank for a token: the answer to bank_requests' token_call().
  using Ask = std::function<CallResult()>;

  // The clock outlives it.
  BankToken(const Clock& clock, Ask ask) : clock_(clock), ask_(std::move(ask)) {}

  // A token that holds, asked for if need be; who comes meanwhile waits for it. What the last request came to
  // holds until the next one is allowed.
  Result get();
  // As the other, which is the same client's, leaves off: its token, and when it has asked last.
  void go_on_from(const BankToken& other);
  // The bank has not taken this token (401): it is not given again.
  void reject(const std::string& token);

 private:
  struct Held {
    TokenGrant grant;
    BootTime renew_at;
    BootTime ends_at;
  };

  CallResult ask() const;
  std::optional<Result> known(BootTime now) const;
  Result judge(CallResult answer, BootTime asked_at);
  Result hold(BankTokenAnswer answer, BootTime asked_at);

  const Clock& clock_;
  const Ask ask_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  bool asking_ = false;
  std::optional<BootTime> asked_at_;
  std::optional<Held> held_;
  std::optional<Result> failure_;  // of the last request
};

}  // namespace pixledger::workers
