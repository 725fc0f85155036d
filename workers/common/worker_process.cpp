#include "workers/common/worker_process.h"

#include <Poco/Exception.h>
#include <chrono>
#include <stdexcept>

#include "eventstore/platform/signals.h"

namespace pixledger::workers {
namespace {

constexpr std::chrono::milliseconds kCheckEvery{200};

}  // namespace

std::unique_ptr<eventstore::OwnerLock> stand_by(const std::filesystem::path& lock_file,
                                                eventstore::Logger& logger) {
  auto lock = eventstore::OwnerLock::try_take(lock_file);
  if (lock) return lock;
  logger.info("another worker is at work; standing by");
  while (!lock && !eventstore::wait_for_stop(kCheckEvery)) lock = eventstore::OwnerLock::try_take(lock_file);
  return lock;
}

void serve_until_stopped(const std::function<void()>& check) {
  while (!eventstore::wait_for_stop(kCheckEvery)) check();
}

int with_poco_texts(const std::filesystem::path& directory, const std::function<int()>& service) {
  try {
    return service();
  } catch (const Poco::Exception& error) {
    throw std::runtime_error("in " + directory.string() + ": " + error.displayText());
  }
}

}  // namespace pixledger::workers
