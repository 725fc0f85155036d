#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/process/logging.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Identifies a worker in each of its transactions on a shared ledger. PostgreSQL rejects them once another
// worker has taken over.
struct WorkerFence {
  std::string worker;          // the program's name
  std::int64_t epoch = 0;      // counts the holders of the right: each has another number
  std::function<void()> lost;  // ends the process, as when the right cannot be renewed
};

// The right to be the only worker of its kind on a ledger. If machines share the ledger, another machine's
// worker may have it; a process that loses it at work ends. On one machine's ledger there is nothing to wait
// for.
struct WorkerRight {
  std::shared_ptr<const void> held{};
  std::optional<WorkerFence> fence{};  // for a shared ledger
};

// Waits for the right and calls `rest` in between. Returns nullopt once that returns false: the process is to
// stop.
std::optional<WorkerRight> wait_for_worker_right(const Log& log, const std::string& worker, Logger& logger,
                                                 const std::function<bool()>& rest);

}  // namespace pixledger::eventstore
