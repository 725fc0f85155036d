#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/log/log.h"
#include "eventstore/process/logging.h"

namespace pixledger::eventstore {

// The right of a worker to be the one of its kind at work on its ledger. Where machines share that, another
// machine's may have it; a process whose right ends while it is at work ends with it. On a ledger of one
// machine there is nothing to wait for.
using WorkerRight = std::shared_ptr<const void>;

// Waits for it. `rest` is called in between, and false says that the process is to stop: nullopt then.
std::optional<WorkerRight> wait_for_worker_right(const Log& log, const std::string& worker, Logger& logger,
                                                 const std::function<bool()>& rest);

}  // namespace pixledger::eventstore
