#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>

#include "base/platform/clock.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

// What the executor does, counted, and why it last could not. Thread-safe.
class CommandMetrics final : public eventstore::ExecutorObserver {
 public:
  // How long the fault of a batch is held against the ledger when no other batch tells better. A server that
  // says it is not ready gets no commands, so its last fault must not count for ever.
  static constexpr std::int64_t kFaultStandsMs = 10'000;

  // Registry and clock outlive it.
  CommandMetrics(prometheus::Registry& registry, const Clock& clock);

  void on_batch(const eventstore::BatchReport& report) override;
  void on_queue_full() override;

  // Why the latest batch could not be carried out; empty when it was, or when that was long ago.
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

}  // namespace pixledger::http
