#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "eventstore/ledger_options.h"
#include "eventstore/service_start.h"

// What the workers' mains share.
namespace pixledger::workers {

using eventstore::Hangup;

// Begins a worker's log, and waits for the right to its database, in `directory`, for as long as another
// worker has it; null when the process is asked to stop meanwhile.
std::unique_ptr<eventstore::ServiceTurn> begin_worker(Logger& logger, const eventstore::ServiceStart& start,
                                                      const std::filesystem::path& directory,
                                                      Hangup hangup = Hangup::kStops);

// Waits until the process is asked to stop. `check` is called again and again and throws when the worker has
// failed. `read_anew` is called on SIGHUP; none: that asks to stop.
void serve_until_stopped(const std::function<void()>& check, const std::function<void()>& read_anew = {});

// Runs a worker, and again after each refusal of the system, such as a full disk. Throws std::runtime_error
// with the whole text of a Poco::Exception or of damage that ends the worker, and with `kept`, the worker's
// database or the directory of it, neither of which what() contains.
int run_worker(const eventstore::LedgerOptions& options, const std::filesystem::path& kept,
               const std::function<int()>& worker, Hangup hangup = Hangup::kStops);

}  // namespace pixledger::workers
