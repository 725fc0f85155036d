#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_profile.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/api_pix/bank_result.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/api_pix/call_limits.h"

namespace pixledger::workers {

// What a bank lets the client do.
struct TokenGrant {
  std::string token;
  std::optional<std::vector<std::string>> scopes;  // that it covers; nullopt: the bank does not say
};

// The token of one connection: asked for when first needed and again 60 s before its end, by one thread for
// all, and at most once in 10 s, since banks block clients that ask too often. Thread-safe.
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

// What an answer has that release 2.9.0 of the document does not know: fields ("pix.limite"), values of codes
// ("devolucao.natureza MED_NOVA") and types of errors ("error CobNova"), each once, at most 16. Of values
// only those that look like codes are told; what else banks write may be a payer's. A pure function.
std::vector<std::string> novelties_in(BankOperation operation, const Answered& answer);

// A status that says yes, and what came with it.
struct Accepted {
  std::string body;
};

// What an answer means by its status, since bodies of errors may be anything; a profile's marks tell apart
// where a bank's statuses do not. 2xx is yes for every operation, since banks mix them up. A status from 500
// on leaves open what became of a change and makes a reading unavailable; 429 means that nothing was looked
// at. For those that are unavailable `until` is left to the caller. 401 is Refused: whether to ask with
// another token is the caller's.
BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer);

// Whether the bank did not work, as the breaker counts.
bool is_fault(const CallResult& result);
// Whether it asked for less.
bool asks_for_less(const Answered& answer);

// How long an operation may wait for its turn, and how urgent it is.
struct BankTurn {
  BankPriority priority;
  BootTime begin_by;
  std::function<void()> before_sending = {};  // called once its turn has come, each time before it is sent
  std::optional<BootTime> change_by = {};     // from then on no change leaves any more; readings do
};

// What became of one request to a bank, for metrics: tokens too.
struct BankCallReport {
  BankOperation operation;
  std::string_view outcome;  // see outcome_name()
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> ahead_ms;     // the bank's clock against ours, about a second's worth
  bool is_open = false;                     // the breaker, after this
  std::vector<std::string> novelties = {};  // see novelties_in()
};
// Called by the thread that asked, whichever that is.
using BankObserver = std::function<void(const BankCallReport&)>;

// What all connections of a process work with. Everything outlives them.
struct BankDependencies {
  const Clock& clock;
  Entropy& entropy;
  BankTransports& network;
  BankObserver observer = {};              // none: nothing is reported
  std::function<bool()> is_stopping = {};  // once it is true no request begins, or waits, any more
  bool may_wait = true;  // for a turn: not where time stands still meanwhile, as in a simulation
};

// One request to a bank at a time or several: with its token, in its turn, past its breaker. Thread-safe.
class BankExchange {
 public:
  // The bank's time has whole seconds: in the middle of one it is best guessed.
  static constexpr std::int64_t kHalfASecondMs = 500;

  // Throws std::invalid_argument when the certificate and its key cannot be used. `before`, which may be
  // null, spoke for the connection until now: what it knows of the bank's clock, and a token that the same
  // client was given for the same, hold on.
  BankExchange(BankAccess access, BankDependencies dependencies, const BankExchange* before = nullptr);

  const BankAccess& access() const { return access_; }

  // Sends a request and judges the answer. One that the bank answers with 401 is sent once more with another
  // token.
  BankResult<Accepted> send(const BankRequest& request, const BankTurn& turn);
  // See BankToken::get().
  BankToken::Result token();
  // A bare GET, without a token, in its turn: any answer says that the server of the URL can be reached.
  CallResult reach(const std::string& url, const BankTurn& turn);

  // Whether the breaker is open, and requests but for probes are not sent.
  bool is_open() const;
  // When the next probe may begin; nullopt while the breaker is closed.
  std::optional<BootTime> probe_at() const;
  // The bank's clock against ours, as its last answer told; 0 before that.
  std::int64_t ahead_ms() const { return ahead_ms_; }
  // What time the bank has at least, by that: its answers took a while to come.
  Timestamp now_there() const {
    return dependencies_.clock.now().plus_millis(ahead_ms_ - (has_date_ ? kHalfASecondMs : 0));
  }
  // The bank says that it has made something just now: tells its time where its answers have no Date.
  void note_made(Timestamp at);

 private:
  class Admission;

  bool is_stopping() const { return dependencies_.is_stopping && dependencies_.is_stopping(); }
  Unavailable to_stop() const;
  std::variant<Breaker::Pass, Unavailable> admit();
  BankResult<Accepted> send_once(const BankRequest& request, const BankTurn& turn, Breaker::Pass pass,
                                 const std::string& token);
  BankResult<Accepted> judge(BankOperation operation, CallResult result) const;
  CallResult ask_for_token();
  void count(Breaker::Pass pass, const CallResult& result);
  void report(BankOperation operation, std::string_view outcome, BootTime began, const CallResult& result);
  std::optional<std::chrono::milliseconds> retry_after(const CallResult& result) const;
  std::string new_correlation_id();

  const BankAccess access_;
  const BankDependencies dependencies_;
  const std::unique_ptr<BankTransport> http_;
  RateGate gate_;
  BankToken token_;
  std::atomic<std::int64_t> ahead_ms_{0};
  std::atomic<bool> has_date_{false};
  mutable std::mutex mutex_;  // of the breaker
  Breaker breaker_;
};

}  // namespace pixledger::workers
