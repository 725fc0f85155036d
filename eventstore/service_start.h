#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/data_directory.h"
#include "base/platform/owner_lock.h"
#include "base/process/logging.h"
#include "base/process/run_mark.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/worker_right.h"

namespace pixledger::eventstore {

// What a service logs about itself when it starts.
struct ServiceStart {
  std::string_view program;  // "pixledger-server"
  const DataDirectory& data;
  const LedgerLog& log;
  std::string addresses;  // that it listens on or sends to, for people; "none" without any
};

// Held by a service while no other process may do its work.
struct ServiceTurn {
  std::unique_ptr<OwnerLock> lock;
  RunMark run;
  WorkerRight right{};  // for workers
};

// Takes the service's lock, beside which its mark lies, and logs the first line of every service. If another
// process has the lock, logs first and calls `wait_for_lock`, which logs what it waits for. Both return null
// if the process is asked to stop.
std::unique_ptr<ServiceTurn> begin_service(Logger& logger, const ServiceStart& start,
                                           const std::filesystem::path& lock_file,
                                           const std::function<std::unique_ptr<OwnerLock>()>& wait_for_lock);

// Whether SIGHUP stops a service or makes it reload its files.
enum class Hangup { kStops, kReadsAnew };

// Logs that a service waits until the system no longer refuses what it needs.
void log_refusal(Logger& logger, const std::string& refusal, const std::string& fault);

// Knows the errors of all libraries that a service uses.
struct ErrorReader {
  // Describes a refusal of the system, such as a full disk; nullopt for all other errors.
  std::function<std::optional<std::string>(const std::exception&)> refusal_of;
  std::function<std::string(const std::exception&)> text_of;
};

// Runs a service, and runs it again after a pause each time that it ends with a refusal of the system: it
// logs the refusal and waits, until it is asked to stop. Every other error is thrown. block_stop_signals()
// must have been called.
int serve_despite_refusals(LogFormat format, Hangup hangup, const std::function<int()>& service,
                           const ErrorReader& errors);

}  // namespace pixledger::eventstore
