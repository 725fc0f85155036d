#include "workers/common/worker_process.h"

#include <Poco/Exception.h>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "base/platform/faults.h"
#include "base/platform/signals.h"
#include "stores/sql/refusal.h"

namespace pixledger::workers {
namespace {

constexpr std::chrono::milliseconds kCheckEvery{1'000};
constexpr const char* kDamageAdvice = "; pixledger doctor says what to do";

}  // namespace

std::unique_ptr<eventstore::ServiceTurn> begin_worker(Logger& logger, const eventstore::ServiceStart& start,
                                                      const std::filesystem::path& directory, Hangup hangup) {
  const auto lock_file = directory / "lock";
  // Returns false if the process should stop.
  const auto rest = [&] {
    const auto signal = wait_for_stop(kCheckEvery);
    // A restart reads everything anew anyway.
    return !signal || (signal == SIGHUP && hangup == Hangup::kReadsAnew);
  };
  auto turn = eventstore::begin_service(logger, start, lock_file, [&] {
    logger.info("another worker is at work; standing by", {{"usedBy", OwnerLock::holder_of(lock_file)}});
    std::unique_ptr<OwnerLock> lock;
    while (!lock && rest()) lock = OwnerLock::try_take(lock_file);
    return lock;
  });
  if (!turn) return nullptr;
  auto right = eventstore::wait_for_worker_right(start.log, std::string(start.program), logger, rest);
  if (!right) return nullptr;
  turn->right = *std::move(right);
  // Afterwards, what another machine's worker has reported is readable here.
  start.log.catch_up();
  return turn;
}

void serve_until_stopped(const std::function<void()>& check, const std::function<void()>& read_anew) {
  while (true) {
    const auto signal = wait_for_stop(kCheckEvery);
    if (signal == SIGHUP && read_anew)
      read_anew();
    else if (signal)
      return;
    check();
  }
}

int run_worker(const eventstore::LedgerOptions& options, const std::filesystem::path& kept,
               const std::function<int()>& worker, Hangup hangup) {
  try {
    return eventstore::serve_despite_refusals(options.log_format, hangup, worker,
                                              {stores::refusal_of, stores::text_of});
  } catch (const Poco::Exception& error) {
    const auto* const advice = stores::is_damaged_file(error) ? kDamageAdvice : "";
    throw std::runtime_error("in " + kept.string() + ": " + error.displayText() + advice);
  } catch (const DataDamaged& error) {
    throw std::runtime_error("in " + kept.string() + ": " + error.what() + kDamageAdvice);
  }
}

}  // namespace pixledger::workers
