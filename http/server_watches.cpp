#include "http/server_watches.h"

#include <memory>
#include <string>

#include "base/process/logging.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "projections/generations/current_views.h"

namespace pixledger::http {

std::vector<WatchedDatabase> watched_databases(const ServerFoundations& foundations) {
  std::vector<WatchedDatabase> databases;
  using Environment = std::shared_ptr<const eventstore::LmdbEnvironment>;
  if (const auto* ledger = foundations.ledger_environment)
    databases.push_back({"ledger", [ledger] { return Environment(Environment(), ledger); }});
  databases.push_back({"views", [&views = foundations.views] {
                         const auto database = views.database();
                         return Environment(database, &database->environment());
                       }});
  return databases;
}

projections::GenerationWatchOptions generation_options(const ServerFoundations& foundations) {
  projections::GenerationWatchOptions options;
  options.lmdb = foundations.lmdb;
  options.on_adopted = [&logger = foundations.logger](const std::string& name) {
    logger.info("rebuilt read models are in use", {{"generation", name}});
  };
  options.on_refused = [&logger = foundations.logger](const std::string& name, const std::string& reason) {
    logger.warning("rebuilt read models cannot be used", {{"generation", name}, {"reason", reason}});
  };
  return options;
}

}  // namespace pixledger::http
