#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "eventstore/platform/owner_lock.h"
#include "eventstore/process/logging.h"

// What the workers' mains share.
namespace pixledger::workers {

// Waits for the right to the worker's database, for as long as another worker has it; null when the process
// is asked to stop meanwhile.
std::unique_ptr<eventstore::OwnerLock> stand_by(const std::filesystem::path& lock_file,
                                                eventstore::Logger& logger);

// Waits until the process is asked to stop. `check` is called again and again and throws when the worker has
// failed.
void serve_until_stopped(const std::function<void()>& check);

// Runs a service; throws std::runtime_error with the whole text of the Poco::Exception that ends it, whose
// what() names its kind only, and with the worker's directory, which it does not name at all.
int with_poco_texts(const std::filesystem::path& directory, const std::function<int()>& service);

}  // namespace pixledger::workers
