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
#include "stores/traces/kept_traces.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_profile.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/api_pix/bank_result.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/api_pix/call_limits.h"

namespace pixledger::workers {

// What a bank allows the client.
struct TokenGrant {
  std::string token;
  std::optional<std::vector<std::string>> scopes;  // covered scopes; nullopt: the bank does not say
};

// The token of one connection. Requested when first needed and again 60 s before its end, by one thread for
// all, and at most once in 10 s, since banks block clients that ask too often. Thread-safe.
class BankToken {
 public:
  static constexpr std::chrono::seconds kRenewBefore{60};
  static constexpr std::chrono::seconds kAskEvery{10};

  using Result = std::variant<TokenGrant, Refused, Unavailable>;
  // Requests a token from the bank: the answer to bank_requests' token_call().
  using Ask = std::function<CallResult()>;

  // The clock outlives it.
  BankToken(const Clock& clock, Ask ask) : clock_(clock), ask_(std::move(ask)) {}

  // Returns a valid token, which it requests if necessary; other callers wait meanwhile. Until the next
  // request is allowed, the last one's outcome is returned.
  Result get();
  // Takes over the token and the time of the last request from another BankToken of the same client.
  void go_on_from(const BankToken& other);
  // The bank has rejected this token (401): it is not returned again.
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
  std::optional<Result> failure_;  // the last request's
};

// Returns what an answer has that release 2.9.0 of the document does not know: fields ("pix.limite"), values
// of codes ("devolucao.natureza MED_NOVA") and types of errors ("error CobNova"), each once, at most 16. Only
// values that look like codes are returned; others may be a payer's. A pure function.
std::vector<std::string> novelties_in(BankOperation operation, const Answered& answer);

// A successful status and its body.
struct Accepted {
  std::string body;
};

// Judges an answer by its status, since error bodies may be anything; a profile's marks help if a bank's
// statuses are ambiguous. 2xx is success for every operation, since banks mix them up. From 500 on a change
// has an unknown outcome and a read is unavailable; 429 means that the request was not processed. The caller
// sets `until` of Unavailable. 401 is Refused: the caller decides whether to retry with another token.
BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer);

// Whether the breaker counts this as a fault of the bank.
bool is_fault(const CallResult& result);
// Whether the bank asked for fewer requests.
bool asks_for_less(const Answered& answer);

// How long an operation may wait for its turn, and how urgent it is.
struct BankTurn {
  BankPriority priority;
  BootTime begin_by;
  std::function<void()> before_sending = {};  // called once its turn has come, each time before it is sent
  std::optional<BootTime> change_by = {};     // no change is sent after this; reads are
  std::optional<TraceContext> trace = {};     // of the event that causes the requests
};

// The outcome of one request to a bank, for metrics; token requests included.
struct BankCallReport {
  BankOperation operation;
  std::string_view outcome;  // see outcome_name()
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> ahead_ms;       // how far the bank's clock is ahead, to about a second
  bool is_open = false;                       // the breaker, after this
  std::vector<std::string> novelties = {};    // see novelties_in()
  int http_status = 0;                        // 0: no answer
  const stores::AttemptSpan* span = nullptr;  // null: not traced
};
// Called by the requesting thread, whichever that is.
using BankObserver = std::function<void(const BankCallReport&)>;

// The shared dependencies of all connections of a process. They outlive the connections.
struct BankDependencies {
  const Clock& clock;
  Entropy& entropy;
  BankTransports& network;
  BankObserver observer = {};              // none: nothing is reported
  std::function<bool()> is_stopping = {};  // once true, no request begins or waits
  bool may_wait = true;  // for a turn; false if time stands still meanwhile, as in a simulation
  const stores::EventTraces* traces = nullptr;  // null: no trace is continued
};

// Sends requests to a bank: with its token, in its turn, through its breaker. Thread-safe.
class BankExchange {
 public:
  // The bank's time has whole seconds; the middle of one is the best guess.
  static constexpr std::int64_t kHalfASecondMs = 500;

  // Throws std::invalid_argument if the certificate or its key is unusable. `before`, which may be null, is
  // the connection's previous exchange: its knowledge of the bank's clock stays, and its token if it is the
  // same client's for the same scopes.
  BankExchange(BankAccess access, BankDependencies dependencies, const BankExchange* before = nullptr);

  const BankAccess& access() const { return access_; }

  // Sends a request and judges the answer. Sends it once more with another token after a 401.
  BankResult<Accepted> send(const BankRequest& request, const BankTurn& turn);
  // See BankToken::get().
  BankToken::Result token();
  // Sends a bare GET without a token, in its turn: any answer means that the server can be reached.
  CallResult reach(const std::string& url, const BankTurn& turn);

  // Whether the breaker is open, so that only probes are sent.
  bool is_open() const;
  // When the next probe may begin; nullopt while the breaker is closed.
  std::optional<BootTime> probe_at() const;
  // How far the bank's clock is ahead of ours, by its last answer; 0 before that.
  std::int64_t ahead_ms() const { return ahead_ms_; }
  // The bank's time at least, by that: its answers took a while to come.
  Timestamp now_there() const {
    return dependencies_.clock.now().plus_millis(ahead_ms_ - (has_date_ ? kHalfASecondMs : 0));
  }
  // The bank has made something just now. Sets its clock if its answers have no Date.
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
  void report(BankOperation operation, std::string_view outcome, BootTime began, const CallResult& result,
              const stores::AttemptSpan* span = nullptr);
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
