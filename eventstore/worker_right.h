#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/process/logging.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// What each transaction of a worker names that is one of several machines': PostgreSQL refuses it once
// another worker has taken over.
struct WorkerFence {
  std::string worker;          // the program's name
  std::int64_t epoch = 0;      // counts who had the right: another number, another holder
  std::function<void()> lost;  // ends the process, as when the right could not be renewed
};

// The right of a worker to be the one of its kind at work on its ledger. Where machines share that, another
// machine's may have it; a process whose right ends while it is at work ends with it. On a ledger of one
// machine there is nothing to wait for.
struct WorkerRight {
  std::shared_ptr<const void> held{};
  std::optional<WorkerFence> fence{};  // of a ledger that machines share
};

// Waits for it. `rest` is called in between, and false says that the process is to stop: nullopt then.
std::optional<WorkerRight> wait_for_worker_right(const Log& log, const std::string& worker, Logger& logger,
                                                 const std::function<bool()>& rest);

}  // namespace pixledger::eventstore
