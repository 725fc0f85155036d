#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/log/ledger_log.h"
#include "eventstore/platform/data_directory.h"
#include "eventstore/platform/owner_lock.h"
#include "eventstore/process/logging.h"
#include "eventstore/process/run_mark.h"
#include "eventstore/worker_right.h"

namespace pixledger::eventstore {

// What a service is and works on, to tell before it begins.
struct ServiceStart {
  std::string_view program;  // "pixledger-server"
  const DataDirectory& data;
  const Log& log;
  std::string addresses;  // that it listens on or sends to, for people; "none" without any
};

// A service's turn at what one process at a time may work on.
struct ServiceTurn {
  std::unique_ptr<OwnerLock> lock;
  RunMark run;
  WorkerRight right{};  // of a worker
};

// Takes the service's lock, beside which its mark lies, and writes the line that every service's log begins
// with: before it waits for another process, if it has to. `wait_for_lock` does that then, says what it waits
// for, and returns null when the process is asked to stop; so does this.
std::unique_ptr<ServiceTurn> begin_service(Logger& logger, const ServiceStart& start,
                                           const std::filesystem::path& lock_file,
                                           const std::function<std::unique_ptr<OwnerLock>()>& wait_for_lock);

// What SIGHUP asks of a service: to stop, or to look at its files again.
enum class Hangup { kStops, kReadsAnew };

// Runs a service, and runs it again after a pause each time that it ends with an error which `refusal_of`
// explains by what the system refuses for a while, such as room on the disk: it says so and waits, until it
// is asked to stop. Every other error is thrown. block_stop_signals() must have been called.
int serve_despite_refusals(
    LogFormat format, Hangup hangup, const std::function<int()>& service,
    const std::function<std::optional<std::string>(const std::exception&)>& refusal_of);

}  // namespace pixledger::eventstore
