#include "eventstore/ledger_sharing.h"

#include "eventstore/codec/needed_format.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/publish.h"
#include "eventstore/postgres/share_mark.h"
#include "eventstore/postgres/shared_node.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

// For clients that copy a whole ledger.
constexpr PgTimeouts kWhole{.answer = std::chrono::minutes(2), .commit = std::chrono::minutes(10)};

}  // namespace

void refuse_to_share(const LedgerUri& owner, const LedgerUri& servers) {
  DeadlineWatch watch;
  PgClient client(owner, kWhole, watch);
  refuse_to_publish(client, servers);
}

Ledger open_to_share(const DataDirectory& directory, const LmdbOptions& options) {
  if (!find_unfinished_share(directory)) Ledger::refuse_missing(directory);
  auto log = std::make_unique<LmdbLog>(directory.ledger(), options, needed_format_of_stored);
  if (!read_share_mark(directory)) refuse_orphaned_copy(directory, *log);
  Ledger ledger{directory, std::move(log), Keyring::open(directory.keys())};
  check_keyring(directory, *ledger.log, ledger.keyring);
  return ledger;
}

SharedTree share_ledger(const DataDirectory& directory, const LmdbOptions& options, const NodeFile& node,
                        const LedgerUri& owner, bool was_begun,
                        const std::function<void(PgClient&)>& within) {
  LmdbLog log(directory.ledger(), options);
  if (!read_share_mark(directory)) refuse_orphaned_copy(directory, log);
  DeadlineWatch watch;
  try {
    PgClient client(owner, kWhole, watch);
    check_roles(client, node.uri);
    write_share_mark(directory, node);
    publish(client, log, node.uri.user, within);
  } catch (...) {
    // Otherwise the ledger may be in the database, or an earlier call has begun and must be finished.
    if (!was_begun && !log.is_copy()) remove_share_mark(directory);
    throw;
  }
  mark_as_opened(node_in(directory, node));
  write_node_file(directory, node);
  const auto size = log.head().position;
  return {.size = size, .root = tree_root(size.value(), TreeOfLog(log))};
}

void end_sharing(const DataDirectory& directory) { remove_share_mark(directory); }

void give_up_sharing(const DataDirectory& directory, const LmdbOptions& options, const LedgerUri& owner) {
  const auto begun = read_share_mark(directory);
  if (!begun) throw std::runtime_error("no ledger is on its way from " + directory.root.string());
  LmdbLog log(directory.ledger(), options);
  DeadlineWatch watch;
  PgClient client(owner, PgTimeouts{}, watch);
  // Another database cannot tell whether the ledger has arrived.
  check_roles(client, begun->uri);
  log.be_no_copy([&] { refuse_to_give_up(client, log); });
  // Remove the node's files while no process can open the directory.
  fs::remove(directory.node());
  fs::remove(directory.copy_boot());
  remove_share_mark(directory);
}

std::optional<Digest> shared_root(const LedgerUri& owner, Position size) {
  DeadlineWatch watch;
  PgClient client(owner, kWhole, watch);
  const auto found =
      client.run("SELECT root FROM batch WHERE last = " + std::to_string(size.value()) + " LIMIT 1");
  return found.empty() ? std::nullopt : std::optional(digest_of(found.at(0).at(0)));
}

}  // namespace pixledger::eventstore
