#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "domain/values/environment.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

// Counts what the executor does and keeps its last fault. Thread-safe.
class CommandMetrics final : public eventstore::ExecutorObserver {
 public:
  // How long a batch's fault makes the server unready if no later batch succeeds. An unready server gets no
  // commands, so the fault must expire.
  static constexpr std::int64_t kFaultStandsMs = 10'000;

  // Registry and clock outlive it.
  CommandMetrics(prometheus::Registry& registry, const Clock& clock);

  void on_batch(const eventstore::BatchReport& report) override;
  void on_queue_full() override;

  // The latest batch's fault; empty if it succeeded, or failed long ago.
  std::string recent_fault() const;

 private:
  enum class Outcome {
    kDone,
    kFlagged,
    kRejected,
    kReplayed,
    kKeyReused,
    kKeyInFlight,
    kUnavailable,
    kUnknown,
    kQueueFull
  };
  static constexpr std::size_t kOutcomes = 9;

  struct OutcomeOf;
  void note(const eventstore::Result& result);
  prometheus::Counter& counter(Outcome outcome) { return *commands_[static_cast<std::size_t>(outcome)]; }

  const Clock& clock_;
  std::array<prometheus::Counter*, kOutcomes> commands_;
  prometheus::Counter& events_;
  prometheus::Counter& replays_;
  prometheus::Counter& failed_batches_;
  prometheus::Histogram& batch_commands_;
  prometheus::Histogram& waiting_commands_;
  prometheus::Histogram& batch_seconds_;
  prometheus::Histogram& commit_seconds_;

  mutable std::mutex mutex_;
  std::string fault_;
  std::int64_t fault_at_ms_ = 0;
};

// Counts refused creations that left no event, by environment. Thread-safe.
class RefusalMetrics {
 public:
  // The registry outlives it.
  explicit RefusalMetrics(prometheus::Registry& registry);

  // Notes the result of a charge's creation.
  void note(domain::Environment environment, const eventstore::Result& result);

 private:
  prometheus::Counter& live_;
  prometheus::Counter& sandbox_;
};

// Logs faults that refuse commands (a full disk or ledger, a clock that jumped, damage), at most once in
// kPause. Passes everything on.
class CommandFaultLog final : public eventstore::ExecutorObserver {
 public:
  static constexpr std::chrono::minutes kPause{1};

  // Both outlive it.
  CommandFaultLog(eventstore::ExecutorObserver& next, Logger& logger) : next_(next), logger_(logger) {}

  void on_batch(const eventstore::BatchReport& report) override;
  void on_queue_full() override;

 private:
  void log_refused(std::string_view fault);

  eventstore::ExecutorObserver& next_;
  Logger& logger_;
  AtMostEvery pause_{kPause};
};

}  // namespace pixledger::http
