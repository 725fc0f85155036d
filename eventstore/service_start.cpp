#include "eventstore/service_start.h"

#include "eventstore/postgres/shared_log.h"

namespace pixledger::eventstore {
namespace {

void log_start(Logger& logger, const ServiceStart& start, std::string_view last_run) {
  const auto& identity = start.log.identity();
  logger.info("starting", {{"program", start.program},
                           {"version", PIXLEDGER_VERSION},
                           {"data", std::filesystem::absolute(start.data.root).string()},
                           {"ledgerId", identity.ledger_id},
                           {"epoch", identity.epoch},
                           {"position", start.log.head().position.value()},
                           {"lastRun", last_run},
                           {"addresses", start.addresses}});
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
  const auto turn_with = [&](std::unique_ptr<OwnerLock> lock) {
    return std::unique_ptr<ServiceTurn>(new ServiceTurn{.lock = std::move(lock), .run = RunMark(directory)});
  };
  if (auto lock = OwnerLock::try_take(lock_file)) {
    auto turn = turn_with(std::move(lock));
    log_start(logger, start, turn->run.last_run());
    return turn;
  }
  log_start(logger, start, "has not ended");
  auto lock = wait_for_lock();
  if (!lock) return nullptr;
  auto turn = turn_with(std::move(lock));
  logger.info("taking over", {{"program", start.program}, {"lastRun", turn->run.last_run()}});
  return turn;
}

}  // namespace pixledger::eventstore
