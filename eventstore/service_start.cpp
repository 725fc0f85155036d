#include "eventstore/service_start.h"

namespace pixledger::eventstore {

void log_start(Logger& logger, const ServiceStart& start) {
  const auto& identity = start.log.identity();
  logger.info("starting", {{"program", start.program},
                           {"version", PIXLEDGER_VERSION},
                           {"data", std::filesystem::absolute(start.data.root).string()},
                           {"ledgerId", identity.ledger_id},
                           {"epoch", identity.epoch},
                           {"position", start.log.head().position.value()},
                           {"lastRun", start.last_run},
                           {"addresses", start.addresses}});
}

}  // namespace pixledger::eventstore
