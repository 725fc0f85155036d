#include "eventstore/ledger.h"

#include "base/platform/data_directory.h"
#include "base/platform/owner_lock.h"
#include "eventstore/backup/restored_directory.h"
#include "eventstore/codec/needed_format.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/ledger_options.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_import.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/share_mark.h"
#include "eventstore/postgres/shared_log.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedMark = "making";
// Held while a directory becomes another node. The holder may have to fetch the copy, so others wait long.
constexpr const char* kNodeLock = "node.lock";
constexpr std::chrono::minutes kNodeTurnMax{60};

// What only a ledger in use leaves beside it; an interrupted creation does not.
std::vector<fs::path> traces_of_use(const DataDirectory& directory) {
  std::vector<fs::path> found;
  for (const auto& trace : {directory.views(), directory.workers(), directory.outbox(),
                            directory.erasing_lock(), directory.operations()}) {
    if (fs::exists(trace)) found.push_back(trace);
  }
  return found;
}

std::string names_of(const std::vector<fs::path>& paths) {
  std::string names;
  for (const auto& path : paths)
    names += (names.empty() ? "" : ", ") + path.filename().string() + (fs::is_directory(path) ? "/" : "");
  return names;
}

// The ledger that was here is lost, or its disk is not mounted. A new one would be mistaken for it.
void refuse_lost_ledger(const DataDirectory& directory) {
  const auto traces = Ledger::traces(directory);
  if (traces.empty()) return;
  const bool has_keys_alone = traces == std::vector{directory.keys()};
  throw std::runtime_error(
      "the ledger that was in " + directory.root.string() + " is missing: " + names_of(traces) + " of it " +
      (traces.size() == 1 ? "is" : "are") + " there, but not ledger/data.mdb. Mount or move it back, or " +
      (has_keys_alone ? "join with --ledger and --node the shared ledger whose keys these are, or " : "") +
      "restore a backup into another directory; a new ledger wants another directory, too");
}

LmdbOptions reading(const DataDirectory& directory, LmdbOptions options) {
  // A missing ledger is opened for writing: a node's copy is fetched.
  options.read_only = Ledger::exists(directory) && !Ledger::may_be_written(directory);
  return options;
}

// Opens the copy and takes in what PostgreSQL has. Permanent errors are thrown. If PostgreSQL is away and
// `may_wait`, opens the copy anyway: the node answers when PostgreSQL comes back.
std::unique_ptr<SharedLog> open_shared(const SharedNode& node, const LmdbOptions& options, bool may_wait,
                                       bool may_rename) {
  auto opened = node;
  opened.may_rename = may_rename;
  auto copy = open_copy(opened, options);
  try {
    // Throws, so that the program that opens the ledger logs the reason in its own format.
    const LastWords refusal([](const std::string& reason) { throw std::runtime_error(reason); });
    const CopyGuard guard(node, *copy, refusal);
    guard.watch(
        [&] { refuse_other_keys(node, copy->identity().ledger_id, copy->snapshot()->end().keyring); });
    DeadlineWatch watch;
    guard.watch([&] {
      const auto client = start_client(opened, copy.get(), watch);
      take_in_batches(*client, *copy);
      examine_kept_copies(node, *copy, options);
      report_losses(*client, node);
    });
  } catch (const LogUnavailable&) {
    // The next caller that needs PostgreSQL tries again.
    if (!may_wait) throw;
  }
  return std::make_unique<SharedLog>(std::move(copy), node);
}

// For read-only callers, which cannot fetch a fresh copy.
void refuse_bad_copy(const SharedNode& node) {
  if (const auto problem = problem_of_copy(node))
    throw std::runtime_error(
        "the copy of the shared ledger in " + node.directory.string() + " is not to be read: " + *problem +
        ". Start the node's server, or a command that may write there, which fetches it anew");
}

// If the options ask for a node, the directory remembers it only after PostgreSQL has accepted it: running
// programs are the node that their directory remembers.
std::unique_ptr<SharedLog> open_as_node(const DataDirectory& directory, const NodeFile& node,
                                        const LmdbOptions& options) {
  if (directory.node_asked.empty()) return open_shared(node_in(directory, node), options, true, false);
  if (options.read_only)
    throw std::runtime_error(directory.root.string() + " may not be written, so it cannot become the node " +
                             node.name.text);
  // If two processes ask for different nodes at once, the later one finds the earlier at work.
  const auto file = directory.root / kNodeLock;
  const auto turn = OwnerLock::take_within(file, kNodeTurnMax);
  try {
    refuse_node(directory, node);
    auto log = open_shared(node_in(directory, node), options, false, true);
    write_node_file(directory, node);
    return log;
  } catch (...) {
    // A refused node leaves no file.
    std::error_code ignored;
    fs::remove(file, ignored);
    throw;
  }
}

}  // namespace

// --- making one ---

bool Ledger::exists(const DataDirectory& directory) { return LmdbLog::is_in(directory.ledger()); }

std::vector<fs::path> Ledger::traces(const DataDirectory& directory) {
  auto found = traces_of_use(directory);
  if (!found.empty() || !DirectoryInMaking::was_interrupted(directory.root, kSharedMark)) {
    if (fs::exists(directory.keys())) found.insert(found.begin(), directory.keys());
    if (fs::exists(directory.ledger())) found.insert(found.begin(), directory.ledger());
  }
  return found;
}

void Ledger::refuse_missing(const DataDirectory& directory) {
  refuse_unfinished_share(directory);
  // A node's missing copy is fetched.
  if (exists(directory) || node_of(directory)) return;
  refuse_unfinished_restore(directory.root);
  refuse_lost_ledger(directory);
  throw std::runtime_error("there is no ledger in " + directory.root.string() +
                           ": name its directory with --data, mount it, or make one with pixledger init");
}

bool Ledger::create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                    const LmdbOptions& options, const std::optional<NodeFile>& to_share) {
  if (exists(directory) || node_of(directory)) return false;
  DirectoryInMaking making(directory, kSharedMark);
  if (exists(directory)) return false;
  refuse_unfinished_restore(directory.root);
  refuse_lost_ledger(directory);
  making.begin();
  const auto& made = making.unfinished();
  Keyring::create(made.keys(), entropy, clock.now());
  const auto keyring = Keyring::open(made.keys());
  LmdbLog::create(made.ledger(), entropy, options, &keyring);
  if (to_share) write_share_mark(made, *to_share);
  making.commit();
  return true;
}

void Ledger::discard(const DataDirectory& directory, const LmdbOptions& options) {
  if (LmdbLog(directory.ledger(), options).head().position != Position())
    throw std::logic_error("a ledger that holds events is discarded by nobody");
  // All or nothing: this begins to create and does not commit, which removes the ledger. Older files stay.
  DirectoryInMaking making(directory, kSharedMark);
  making.begin();
  fs::create_directory(making.unfinished().workers());
  fs::create_directory(making.unfinished().accounts());
}

std::unique_ptr<LogImport> Ledger::import_log(const DataDirectory& directory, const LmdbOptions& options) {
  return std::make_unique<LmdbLogImport>(directory.ledger(), options, needed_format_of_stored);
}

// --- opening one ---

Ledger Ledger::open(const DataDirectory& directory, const LmdbOptions& options) {
  auto log = open_log(directory, options);
  Ledger ledger{directory, std::move(log), Keyring::open(directory.keys())};
  check_keyring(directory, *ledger.log, ledger.keyring);
  return ledger;
}

Ledger Ledger::open(const LedgerOptions& options) {
  auto ledger = open(options.data, options.lmdb());
  if (auto* const cluster = ledger.cluster(); cluster && options.on_lost_commits == "continue")
    cluster->continue_after_loss();
  return ledger;
}

std::unique_ptr<LedgerLog> Ledger::open_log(const DataDirectory& directory, const LmdbOptions& options) {
  refuse_unfinished_share(directory);
  const auto node = node_of(directory);
  if (node && (!options.read_only || !directory.node_asked.empty()))
    return open_as_node(directory, *node, options);
  refuse_missing(directory);
  if (node) refuse_bad_copy(node_in(directory, *node));
  auto opened = options;
  opened.journal = !node;  // PostgreSQL has what a node's copy loses
  auto log = std::make_unique<LmdbLog>(directory.ledger(), opened, needed_format_of_stored);
  if (!node && !options.read_only) refuse_orphaned_copy(directory, *log);
  return log;
}

Ledger Ledger::open_to_read(const DataDirectory& directory, const LmdbOptions& options) {
  return open(directory, reading(directory, options));
}

std::unique_ptr<LedgerLog> Ledger::open_log_to_read(const DataDirectory& directory,
                                                    const LmdbOptions& options) {
  return open_log(directory, reading(directory, options));
}

bool Ledger::may_be_written(const DataDirectory& directory) {
  return LmdbLog::may_be_written(directory.ledger());
}

const LmdbEnvironment* Ledger::environment() const {
  if (const auto* const shared = dynamic_cast<const SharedLog*>(log.get()))
    return &shared->copy().environment();
  const auto* in_lmdb = dynamic_cast<const LmdbLog*>(log.get());
  return in_lmdb ? &in_lmdb->environment() : nullptr;
}

Cluster* Ledger::cluster() const { return dynamic_cast<SharedLog*>(log.get()); }

const Cluster* Ledger::cluster_of(const LedgerLog& log) { return dynamic_cast<const SharedLog*>(&log); }

void check_keyring(const DataDirectory& directory, const LedgerLog& log, const Keyring& keyring) {
  const auto bound_to = log.snapshot()->end().keyring;
  const auto code = keyring.code_of_ledger(log.identity().ledger_id);
  if (bound_to && !equal_in_constant_time(bytes_of(*bound_to), bytes_of(code)))
    throw KeyringError("the keys do not belong to the ledger in " + directory.ledger().string() +
                       ": bring back those that were made with it");
}

}  // namespace pixledger::eventstore
