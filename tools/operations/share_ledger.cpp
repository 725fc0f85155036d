#include "tools/operations/share_ledger.h"

#include <vector>

#include "eventstore/platform/owner_lock.h"
#include "eventstore/tree/log_tree.h"
#include "projections/status/worker_state.h"
#include "projections/stores/worker_tables.h"

namespace pixledger::tools {
namespace {

using eventstore::OwnerLock;
using Locks = std::vector<std::unique_ptr<OwnerLock>>;

std::unique_ptr<OwnerLock> take(const std::filesystem::path& directory, const std::string& program) {
  auto lock = OwnerLock::try_take(directory / "lock");
  if (!lock)
    throw std::runtime_error(program + " is at work in the data directory (" +
                             OwnerLock::holder_of(directory / "lock") + "): stop it first");
  return lock;
}

// Of all that write there for long. None can begin until they go.
Locks refuse_running(const eventstore::DataDirectory& data) {
  Locks locks;
  if (std::filesystem::is_directory(data.views())) locks.push_back(take(data.views(), "pixledger-server"));
  for (const auto* const name : projections::kWorkerNames)
    if (std::filesystem::is_directory(data.worker(name)))
      locks.push_back(take(data.worker(name), std::string("pixledger-") + name));
  return locks;
}

// What was put there a moment ago stays, even where this cannot be told.
eventstore::Ledger::SharedTree tree_there(const ShareTarget& target) {
  try {
    return eventstore::Ledger::shared_tree(target.owner);
  } catch (const eventstore::LogUnavailable& away) {
    throw std::runtime_error("the ledger is in the database " + target.owner.database +
                             ", but its tree could not be compared: " + away.what());
  }
}

}  // namespace

ShareTarget share_target(const eventstore::CommonOptions& options, const std::string& ledger_owner) {
  if (options.ledger.empty())
    throw eventstore::UsageError("--ledger must name the database that the ledger goes to");
  auto named = options;
  // The node that makes a ledger needs no name to do so; it is called this until it is given another.
  if (named.node.empty()) named.node = "first";
  auto node = named.shared_node();
  auto owner = ledger_owner.empty()
                   ? node.uri
                   : eventstore::parse_option<eventstore::LedgerUri>("--ledger-owner", ledger_owner);
  // Else the ledger would be made in one, and be looked for in the other.
  if (owner.database != node.uri.database)
    throw eventstore::UsageError("--ledger names the database " + node.uri.database +
                                 ", and --ledger-owner " + owner.database + ": both must name the same");
  return {.node = std::move(node), .owner = std::move(owner)};
}

SharedTrees share_ledger(const eventstore::DataDirectory& data, const eventstore::LmdbOptions& options,
                         const ShareTarget& target) {
  const auto locks = refuse_running(data);
  SharedTrees trees;
  {
    const auto log = eventstore::Ledger::open_log(data, options);
    trees.size = log->head().position;
    trees.here = eventstore::tree_root(trees.size.value(), eventstore::TreeOfLog(*log));
  }
  eventstore::Ledger::share(data, options, target.node, target.owner, [&](eventstore::PgSession& owner) {
    projections::create_worker_tables(owner, target.node.uri.user);
    projections::import_worker_stores(owner, data);
  });
  const auto there = tree_there(target);
  trees.there = there.root;
  if (there.size != trees.size || trees.here != trees.there)
    throw std::runtime_error("the database has another tree than the data directory had, of " +
                             std::to_string(there.size.value()) + " and " +
                             std::to_string(trees.size.value()) + " events: do not use it");
  // They are in the database from now on, and an erasure there would leave what is in these.
  projections::remove_worker_files(data);
  return trees;
}

}  // namespace pixledger::tools
