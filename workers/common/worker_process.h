#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "eventstore/process/options.h"
#include "eventstore/service_start.h"

// What the workers' mains share.
namespace pixledger::workers {

using eventstore::Hangup;

// Begins a worker's log, and waits for the right to its database, in `directory`, for as long as another
// worker has it; null when the process is asked to stop meanwhile.
std::unique_ptr<eventstore::ServiceTurn> begin_worker(eventstore::Logger& logger,
                                                      const eventstore::ServiceStart& start,
                                                      const std::filesystem::path& directory,
                                                      Hangup hangup = Hangup::kStops);

// Waits until the process is asked to stop. `check` is called again and again and throws when the worker has
// failed. `read_anew` is called on SIGHUP; none: that asks to stop.
void serve_until_stopped(const std::function<void()>& check, const std::function<void()>& read_anew = {});

// Runs a worker, and again whenever the system has refused for a while what it needs, such as room. Throws
// std::runtime_error with the whole text of the Poco::Exception that ends it, whose what() names its kind
// only, and with the worker's directory, which it does not name at all.
int run_worker(const eventstore::CommonOptions& options, const std::filesystem::path& directory,
               const std::function<int()>& worker, Hangup hangup = Hangup::kStops);

}  // namespace pixledger::workers
