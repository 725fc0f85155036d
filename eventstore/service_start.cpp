#include "eventstore/service_start.h"

#include <csignal>

#include "base/platform/signals.h"
#include "base/process/logging.h"
#include "base/process/open_to_others.h"
#include "base/process/options.h"
#include "base/process/version.h"
#include "eventstore/postgres/shared_log.h"

namespace pixledger::eventstore {
namespace {

constexpr std::chrono::seconds kOpenAgainEvery{2};
constexpr std::chrono::minutes kTellEvery{1};

// Returns false if the process is asked to stop.
bool rest(Hangup hangup) {
  const auto signal = wait_for_stop(kOpenAgainEvery);
  return !signal || (*signal == SIGHUP && hangup == Hangup::kReadsAnew);
}

// A service that the system refuses what it needs restarts every two seconds.
bool is_start_logged_now() {
  static AtMostEvery telling(kTellEvery);
  return telling.due();
}

void log_start(Logger& logger, const ServiceStart& start, std::string_view last_run) {
  const auto& identity = start.log.identity();
  logger.info("starting", {{"program", start.program},
                           {"version", kReleaseVersion},
                           {"data", std::filesystem::absolute(start.data.root).string()},
                           {"ledgerId", identity.ledger_id},
                           {"epoch", identity.epoch},
                           {"position", start.log.head().position.value()},
                           {"lastRun", last_run},
                           {"addresses", start.addresses}});
  if (const auto recovered = start.log.recovered(); !recovered.empty())
    logger.info("the ledger was not closed and has been recovered", {{"recovery", recovered}});
}

// Files may have been created or copied with another umask.
void warn_of_open_data(Logger& logger, const DataDirectory& data) {
  const auto open = find_open_to_others(data.root);
  if (open.empty()) return;
  logger.warning("others may read or write data", {{"path", open.front().path.string()},
                                                   {"mode", octal_text(open.front().mode)},
                                                   {"paths", static_cast<std::uint64_t>(open.size())}});
}

}  // namespace

std::unique_ptr<ServiceTurn> begin_service(Logger& logger, const ServiceStart& start,
                                           const std::filesystem::path& lock_file,
                                           const std::function<std::unique_ptr<OwnerLock>()>& wait_for_lock) {
  if (const auto* const cluster = dynamic_cast<const SharedLog*>(&start.log))
    cluster->tell_end_to([&logger, program = std::string(start.program)](const std::string& reason) {
      logger.error("the process ends, as this node's copy of the ledger cannot be used on",
                   {{"reason", reason}, {"program", program}});
    });
  const auto directory = lock_file.parent_path();
  const bool is_logged = is_start_logged_now();
  if (is_logged) warn_of_open_data(logger, start.data);
  const auto turn_with = [&](std::unique_ptr<OwnerLock> lock) {
    return std::unique_ptr<ServiceTurn>(new ServiceTurn{.lock = std::move(lock), .run = RunMark(directory)});
  };
  if (auto lock = OwnerLock::try_take(lock_file)) {
    auto turn = turn_with(std::move(lock));
    if (is_logged) log_start(logger, start, turn->run.last_run());
    return turn;
  }
  if (is_logged) log_start(logger, start, "has not ended");
  auto lock = wait_for_lock();
  if (!lock) return nullptr;
  auto turn = turn_with(std::move(lock));
  logger.info("taking over", {{"program", start.program}, {"lastRun", turn->run.last_run()}});
  return turn;
}

void log_refusal(Logger& logger, const std::string& refusal, const std::string& fault) {
  logger.error("the system refuses what this program needs; it waits and tries again",
               {{"cause", refusal}, {"fault", fault}});
}

int serve_despite_refusals(LogFormat format, Hangup hangup, const std::function<int()>& service,
                           const ErrorReader& errors) {
  const SystemClock clock;
  Logger logger(format, clock);
  AtMostEvery pause(kTellEvery);
  do {
    try {
      return service();
    } catch (const std::exception& error) {
      const auto refusal = errors.refusal_of(error);
      if (!refusal) throw;
      if (pause.due()) log_refusal(logger, *refusal, errors.text_of(error));
    }
  } while (rest(hangup));
  return kExitDone;
}

}  // namespace pixledger::eventstore
