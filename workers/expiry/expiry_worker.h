#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "eventstore/executor/executor.h"
#include "eventstore/log/log.h"
#include "projections/due_charges.h"
#include "workers/common/log_follower.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

// The worker's dependencies, all of which must outlive it.
struct ExpiryWorkerParts {
  const eventstore::Log& log;
  const Clock& clock;
  eventstore::Executor& executor;
  Logger& logger;
  projections::DueCharges& due_charges;
};

// Records the expiry of charges and checkout sessions within a second of their time. Cancels charges of
// sessions that another charge paid. Commands go through the executor like all others, which decides: a
// charge paid meanwhile stays paid.
class ExpiryWorker : private EventHandler {
 public:
  static constexpr std::size_t kCommandsInFlightMax = 256;

  // Throws CursorMismatch if the due charges are of another log.
  explicit ExpiryWorker(const ExpiryWorkerParts& parts);
  ~ExpiryWorker() override;  // calls stop()

  // Finishes running commands.
  void stop();
  // Rethrows the worker thread's exception, if any.
  void check() const { threads_.check(); }

 private:
  void handle(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& after) override;
  void run();
  void expire(const std::vector<projections::Due>& due);
  std::chrono::milliseconds time_to_next_expiry() const;
  void wait(std::chrono::milliseconds timeout) const;

  const ExpiryWorkerParts parts_;
  LogFollower follower_;
  std::atomic<bool> stopping_ = false;
  WorkerThreads threads_;
  std::thread thread_;
};

}  // namespace pixledger::workers
