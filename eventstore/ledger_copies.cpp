#include "eventstore/ledger_copies.h"

#include "eventstore/codec/needed_format.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/shared_log.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

namespace fs = std::filesystem;

std::optional<std::string> mark_on_copy(const DataDirectory& directory) {
  const auto node = node_of(directory);
  return node ? eventstore::mark_on_copy(node_in(directory, *node)) : std::nullopt;
}

std::vector<fs::path> kept_copies(const DataDirectory& directory) {
  return eventstore::kept_copies(directory.root);
}

void try_copy(const DataDirectory& directory, LmdbOptions options) {
  const auto node = node_of(directory);
  if (!node || problem_of_copy(node_in(directory, *node))) return;
  options.read_only = true;
  LmdbLog(directory.ledger(), options);
}

std::unique_ptr<LedgerLog> open_copy_alone(const DataDirectory& directory, LmdbOptions options) {
  if (!Ledger::exists(directory)) return nullptr;
  options.read_only = true;
  auto log = std::make_unique<LmdbLog>(directory.ledger(), options, needed_format_of_stored);
  if (!log->is_copy()) return nullptr;
  return log;
}

const LedgerLog& log_on_disk(const LedgerLog& log) {
  const auto* const shared = dynamic_cast<const SharedLog*>(&log);
  return shared ? shared->copy() : log;
}

void refuse_orphaned_copy(const DataDirectory& directory, const LmdbLog& log) {
  if (!log.is_copy()) return;
  throw std::runtime_error(
      directory.root.string() +
      " has a copy of a shared ledger, and the file `node` that says so is missing: move "
      "ledger/ away, and name ledger and node with --ledger and --node");
}

}  // namespace pixledger::eventstore
