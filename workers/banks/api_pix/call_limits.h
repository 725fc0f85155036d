#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <variant>

#include "base/platform/clock_and_entropy.h"

namespace pixledger::workers {

// Time since boot: never set and never goes back, so waits and counts use it.
using BootTime = std::chrono::milliseconds;

inline BootTime boot_time(const Clock& clock) { return BootTime(clock.boot_millis()); }

// A circuit breaker for a bank that does not work. Opens after 5 faults in a row, or when half of the last 20
// requests were faults. Then one request is let through as a probe, after 5 s and then after twice as long
// each time, at most 60 s; a successful probe closes it. Faults are transport failures and statuses from 500
// on. Not thread-safe.
class Breaker {
 public:
  static constexpr std::size_t kFaultsInARow = 5;
  static constexpr std::size_t kWindow = 20;
  static constexpr std::chrono::seconds kFirstProbe{5};
  static constexpr std::chrono::seconds kProbeMax{60};

  enum class Pass { kGo, kProbe, kNo };

  // Returns whether a request may begin. Report its outcome with the returned pass, unless that is kNo.
  Pass admit(BootTime now);
  void succeeded(Pass pass);
  void failed(Pass pass, BootTime now);
  // It was never sent. No effect after its outcome was reported.
  void cancelled(Pass pass);

  bool is_open() const { return open_; }
  // When the next probe may begin; while open.
  BootTime probe_at() const { return probe_at_; }

 private:
  void count(bool fault);
  void close();

  bool open_ = false;
  bool probing_ = false;
  BootTime probe_at_{0};
  BootTime probe_after_{0};
  std::size_t in_a_row_ = 0;
  std::array<bool, kWindow> faults_{};  // of the last requests, a ring
  std::size_t seen_ = 0;
};

// The order of requests when not all can be sent.
enum class BankPriority { kCreate, kCancel, kRefund, kCallback, kPoll, kSweep };
constexpr std::size_t kBankPriorities = 6;

// Limits the requests to a bank: `per_second` with a burst of a second's worth, at most 8 at a time, of which
// polls and sweeps take 4, so that requests with a waiting caller find room. A bank that asks for fewer (429,
// 503) gets none for as long as it says, at most 5 minutes, and then half the rate, which recovers within a
// minute. Not thread-safe.
class RatePlan {
 public:
  static constexpr std::size_t kInFlightMax = 8;
  static constexpr std::size_t kPatientInFlightMax = 4;
  static constexpr std::chrono::minutes kRetryAfterMax{5};
  static constexpr std::chrono::seconds kUsualPause{1};
  static constexpr std::chrono::seconds kRecovery{60};

  RatePlan(int per_second, BootTime now);

  // Returns when a request may begin, `now` or later, or nullopt if one under way has to end first.
  std::optional<BootTime> earliest(BankPriority priority, BootTime now);
  // A request begins; earliest() must have returned `now`.
  void begin(BankPriority priority, BootTime now);
  void end(BankPriority priority);
  // The bank asked for fewer requests.
  void slow_down(BootTime now, std::optional<std::chrono::milliseconds> retry_after);

  // Requests in a thousand seconds, at present.
  std::int64_t rate(BootTime now) const;

 private:
  void advance(BootTime now);

  const std::int64_t nominal_;  // requests in a thousand seconds
  std::int64_t slowed_to_;      // the rate when it was last changed
  BootTime slowed_at_;
  std::int64_t tokens_;  // millionths of a request
  BootTime counted_at_;
  BootTime paused_until_{0};
  std::size_t in_flight_ = 0;
  std::size_t patient_in_flight_ = 0;
};

// Admits the threads of one connection as its RatePlan allows, the more urgent first. Thread-safe.
class RateGate {
 public:
  // The clock outlives it. Once `is_stopping` returns true no thread is admitted, and waiting ones return
  // soon; without it that never happens.
  RateGate(const Clock& clock, int per_second, std::function<bool()> is_stopping = {});

  // A request under way, from beginning to end.
  class Pass {
   public:
    Pass(RateGate& gate, BankPriority priority) : gate_(&gate), priority_(priority) {}
    ~Pass();
    Pass(Pass&& other) noexcept : gate_(other.gate_), priority_(other.priority_) { other.gate_ = nullptr; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass& operator=(Pass&&) = delete;

   private:
    RateGate* gate_;
    BankPriority priority_;
  };

  // Waits for its turn until `begin_by` at the latest. If that would be too late, returns when to try again.
  std::variant<Pass, BootTime> enter(BankPriority priority, BootTime begin_by);
  void slow_down(std::optional<std::chrono::milliseconds> retry_after);
  // The number of waiting threads.
  std::size_t waiting() const;

 private:
  void leave(BankPriority priority);
  bool is_first(BankPriority priority) const;

  const Clock& clock_;
  const std::function<bool()> is_stopping_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  RatePlan plan_;
  std::array<std::size_t, kBankPriorities> waiting_{};
};

}  // namespace pixledger::workers
