#include "tools/operations/share_ledger.h"

#include <optional>
#include <vector>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "eventstore/ledger_sharing.h"
#include "eventstore/postgres/share_mark.h"
#include "stores/databases/worker_tables.h"
#include "stores/status/worker_state.h"

namespace pixledger::tools {
namespace {

using OwnerLocks = std::vector<std::unique_ptr<OwnerLock>>;

std::unique_ptr<OwnerLock> take(const std::filesystem::path& directory, const std::string& program) {
  auto lock = OwnerLock::try_take(directory / "lock");
  if (!lock)
    throw std::runtime_error(program + " is at work in the data directory (" +
                             OwnerLock::holder_of(directory / "lock") + "): stop it first");
  return lock;
}

// Takes the locks of all long-running writers, which then cannot start.
OwnerLocks refuse_running(const DataDirectory& data) {
  OwnerLocks locks;
  if (std::filesystem::is_directory(data.views())) locks.push_back(take(data.views(), "pixledger-server"));
  for (const auto* const name : stores::kWorkerNames)
    if (std::filesystem::is_directory(data.worker(name)))
      locks.push_back(take(data.worker(name), std::string("pixledger-") + name));
  return locks;
}

// Serialises sharing a ledger and abandoning that.
std::unique_ptr<DirectoryLock> take_turn(const DataDirectory& data) {
  auto turn = DirectoryLock::try_take(data.root);
  if (!turn) throw std::runtime_error("another command is at work in " + data.root.string());
  return turn;
}

// The copied data stays, even if this check fails.
Digest root_there(const ShareTarget& target, const eventstore::SharedTree& here) {
  std::optional<Digest> there;
  try {
    there = eventstore::shared_root(target.owner, here.size);
  } catch (const eventstore::LogUnavailable& away) {
    throw std::runtime_error("the ledger is in the database " + target.owner.database +
                             ", but its tree could not be compared: " + away.what());
  }
  if (there != here.root)
    throw std::runtime_error("the database has another tree of the first " +
                             std::to_string(here.size.value()) +
                             " events than the data directory: do not use it");
  return *there;
}

SharedTrees bring_there(const DataDirectory& data, const eventstore::LmdbOptions& options,
                        const ShareTarget& target) {
  const auto here = eventstore::share_ledger(data, options, target.node, target.owner, target.was_begun,
                                             [&](eventstore::PgClient& owner) {
                                               stores::create_worker_tables(owner, target.node.uri.user);
                                               stores::import_worker_databases(owner, data);
                                             });
  const auto there = root_there(target, here);
  // The data is in the database now; a later erasure there would not reach these files.
  stores::remove_worker_files(data);
  eventstore::end_sharing(data);
  return {.size = here.size, .here = here.root, .there = there};
}

// Another database may already contain it.
void refuse_other_target(const DataDirectory& data, const eventstore::NodeFile& begun,
                         const eventstore::NodeFile& asked) {
  if (asked.uri.text == begun.uri.text) return;
  throw std::runtime_error("the ledger in " + data.root.string() + " is on its way into the database of " +
                           begun.uri.text + ", and --ledger names " + asked.uri.text +
                           ": name the first, or leave --ledger out");
}

// Permissions are granted to the servers' role only, and cannot be corrected later. Nodes with another role
// would be refused, and nodes with the owner's role could change recorded data.
void refuse_one_role(const eventstore::LedgerUri& servers, const eventstore::LedgerUri& owner) {
  if (owner.user != servers.user) return;
  throw UsageError(
      "--ledger must name the servers' role, which can only read and add, and --ledger-owner another one, "
      "which may make a schema in that database and owns it; " +
      owner.user + " would be both");
}

SharedTrees share_in_turn(const DataDirectory& data, const eventstore::LmdbOptions& options,
                          const ShareTarget& target) {
  const auto turn = take_turn(data);
  const auto locks = refuse_running(data);
  try {
    return bring_there(data, options, target);
  } catch (const std::exception& error) {
    if (const auto unfinished = eventstore::find_unfinished_share(data))
      throw std::runtime_error(std::string(error.what()) + "; " + unfinished->problem + "; " +
                               unfinished->advice);
    throw;
  }
}

// Lets read-only commands such as doctor find the node's data in PostgreSQL before its first start.
void introduce_node(const DataDirectory& data, const eventstore::LmdbOptions& options) {
  try {
    eventstore::Ledger::open_log(data, options);
  } catch (const std::exception&) {
    // The ledger is shared by now; the next program that starts here does the rest, or reports the error.
  }
}

}  // namespace

ShareTarget share_target(const eventstore::LedgerOptions& options, const std::string& ledger_owner) {
  const auto begun = eventstore::find_unfinished_share(options.data)
                         ? eventstore::read_share_mark(options.data)
                         : std::nullopt;
  auto named = options;
  if (named.ledger.empty() && begun) named.ledger = begun->uri.text;
  if (named.ledger.empty()) throw UsageError("--ledger must name the database that the ledger goes to");
  // The node that creates a ledger needs no name; this is the default.
  if (named.node.empty()) named.node = begun ? begun->name.text : "first";
  auto node = named.shared_node();
  options.refuse_plain("--ledger", node.uri);
  if (begun) refuse_other_target(options.data, *begun, node);
  auto owner =
      ledger_owner.empty() ? node.uri : parse_option<eventstore::LedgerUri>("--ledger-owner", ledger_owner);
  options.refuse_plain("--ledger-owner", owner);
  // Otherwise the ledger would be created in one and searched in the other.
  if (owner.database != node.uri.database)
    throw UsageError("--ledger names the database " + node.uri.database + ", and --ledger-owner " +
                     owner.database + ": both must name the same");
  if (!begun) refuse_one_role(node.uri, owner);
  return {.node = std::move(node), .owner = std::move(owner), .was_begun = begun.has_value()};
}

SharedTrees share_ledger(const DataDirectory& data, const eventstore::LmdbOptions& options,
                         const ShareTarget& target) {
  const auto trees = share_in_turn(data, options, target);
  introduce_node(data, options);
  return trees;
}

void give_up_sharing(const DataDirectory& data, const eventstore::LmdbOptions& options,
                     const ShareTarget& target) {
  const auto turn = take_turn(data);
  const auto locks = refuse_running(data);
  eventstore::give_up_sharing(data, options, target.owner);
}

}  // namespace pixledger::tools
