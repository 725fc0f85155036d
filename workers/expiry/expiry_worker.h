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

// What the worker works with. All of it outlives the worker.
struct ExpiryWorkerParts {
  const eventstore::Log& log;
  const Clock& clock;
  eventstore::Executor& executor;
  Logger& logger;
  projections::DueCharges& due_charges;
};

// Records the expiry of charges and checkout sessions whose time has passed, within a second of it, and
// cancels charges of sessions that were paid by another charge. Commands go through the executor like
// everybody's, which decides: a charge that was paid meanwhile stays paid.
class ExpiryWorker : private EventHandler {
 public:
  static constexpr std::size_t kCommandsInFlightMax = 256;

  // Throws CursorMismatch when the due charges are not those of this log.
  explicit ExpiryWorker(const ExpiryWorkerParts& parts);
  ~ExpiryWorker() override;  // as stop()

  // Finishes the commands under way.
  void stop();
  // Throws what ended the worker's thread, if anything did.
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
