#include "eventstore/worker_right.h"

#include <cstdlib>

#include "eventstore/postgres/shared_log.h"
#include "eventstore/postgres/worker_lease.h"

namespace pixledger::eventstore {
namespace {

// Returns null and sets `why` if another machine's worker has the right, or PostgreSQL cannot be asked.
std::shared_ptr<WorkerLease> try_take(const SharedNode& node, const std::string& worker,
                                      const std::function<void()>& lost, std::string& why) {
  try {
    why = "another machine's worker is at work";
    return WorkerLease::try_take(node, worker, lost);
  } catch (const std::runtime_error& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace

std::optional<WorkerRight> wait_for_worker_right(const Log& log, const std::string& worker, Logger& logger,
                                                 const std::function<bool()>& rest) {
  const auto* const shared = dynamic_cast<const SharedLog*>(&log);
  if (!shared) return WorkerRight();
  const auto lost = [&logger, worker] {
    logger.error("another machine's worker may take over, so this one ends", {{"program", worker}});
    std::_Exit(3);
  };
  std::string told;
  while (true) {
    std::string why;
    if (const auto lease = try_take(shared->node(), worker, lost, why))
      return WorkerRight{.held = lease, .fence = WorkerFence{worker, lease->epoch(), lost}};
    if (why != told) logger.info("standing by", {{"program", worker}, {"reason", why}});
    told = why;
    if (!rest()) return std::nullopt;
  }
}

}  // namespace pixledger::eventstore
