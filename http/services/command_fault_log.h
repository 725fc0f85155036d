#pragma once

#include <chrono>
#include <string_view>

#include "base/process/at_most_every.h"
#include "base/process/logging.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

// Logs why commands are refused that should not be (a full disk or ledger, a clock that jumped, damage), at
// most once in kPause however many they are, and hands everything on.
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
