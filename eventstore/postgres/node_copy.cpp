#include "eventstore/postgres/node_copy.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "eventstore/lmdb/lmdb_log_import.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/data_directory.h"
#include "eventstore/platform/durable_files.h"
#include "eventstore/platform/owner_lock.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/session_start.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

// Beside the copy. The first says what is wrong with it, the second during which run of the machine it was
// opened, the third is held by who fetches it.
constexpr const char* kAstray = "ledger.astray";
constexpr const char* kBoot = "ledger.boot";
constexpr const char* kFetching = "ledger.fetching.lock";
constexpr const char* kUnfinished = "ledger.fetching";
constexpr std::chrono::minutes kFetchMax{60};

LmdbOptions without_sync(LmdbOptions options) {
  options.sync = false;
  return options;
}

bool can_be_trusted(const SharedNode& node) {
  const DataDirectory data{node.directory};
  return LmdbLog::is_in(data.ledger()) && !fs::exists(node.directory / kAstray) &&
         read_if_there(node.directory / kBoot) == SystemClock().boot_id();
}

// What lies there may only go where it is a copy of the same ledger, or cannot be read at all.
void refuse_other_ledger(const SharedNode& node, const LmdbOptions& options, const LogIdentity& ledger) {
  const auto directory = DataDirectory{node.directory}.ledger();
  std::optional<LogIdentity> here;
  try {
    if (LmdbLog::is_in(directory)) here = LmdbLog(directory, options).identity();
  } catch (const std::exception&) {
    // Damaged: that is why it is fetched.
  }
  if (here && here->ledger_id != ledger.ledger_id)
    throw LedgerMismatch("the database " + node.uri.database + " has the ledger " + ledger.ledger_id +
                         ", and " + node.directory.string() + " one of its own, " + here->ledger_id);
}

// Who may not join leaves nothing behind.
void refuse_early(const SharedNode& node) {
  DeadlineWatch watch;
  start_session(node, nullptr, watch);
}

void fetch(const SharedNode& node, const LmdbOptions& options) {
  const DataDirectory data{node.directory};
  const auto unfinished = node.directory / kUnfinished;
  DeadlineWatch watch;
  const auto session = start_session(node, nullptr, watch);
  const auto ledger = find_shared_ledger(*session);
  refuse_other_ledger(node, options, ledger->ledger);
  fs::remove_all(unfinished);
  LmdbLogImport(unfinished, options)
      .finish(
          ledger->ledger,
          {.head = {}, .id_counter = 0, .keyring = ledger->keyring, .ended_epochs = ledger->ended_epochs});
  {
    LmdbLog copy(unfinished, options);
    copy.become_copy([] { return 0; });
    take_in_batches(*session, copy);
    copy.environment().sync();
  }
  fs::remove_all(data.views());
  fs::remove_all(data.ledger());
  fs::rename(unfinished, data.ledger());
  fs::remove(node.directory / kAstray);
  sync_directory(node.directory);
}

void mark_astray(const fs::path& directory, const std::string& problem) {
  std::ofstream(directory / kAstray) << problem << "\n";
}

// Null where it is damaged, and marked so.
std::unique_ptr<LmdbLog> try_open(const SharedNode& node, const LmdbOptions& options) {
  try {
    return std::make_unique<LmdbLog>(DataDirectory{node.directory}.ledger(), options);
  } catch (const std::runtime_error& error) {
    // What the system refuses says nothing about what lies there.
    const auto* const lmdb = dynamic_cast<const LmdbError*>(&error);
    if (lmdb && !dynamic_cast<const LmdbDamaged*>(lmdb)) throw;
    mark_astray(node.directory, error.what());
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<LmdbLog> open_copy(const SharedNode& node, LmdbOptions options) {
  options = without_sync(options);
  if (can_be_trusted(node))
    if (auto copy = try_open(node, options)) return copy;
  refuse_early(node);
  {
    const auto lock = OwnerLock::take_within(node.directory / kFetching, kFetchMax);
    if (!can_be_trusted(node)) {
      fetch(node, options);
      mark_as_opened(node);
    }
  }
  return std::make_unique<LmdbLog>(DataDirectory{node.directory}.ledger(), options);
}

void mark_as_opened(const SharedNode& node) {
  write_durably(node.directory / kBoot, SystemClock().boot_id());
}

std::function<void(const std::string&)> end_with_astray_copy(const SharedNode& node) {
  return [directory = node.directory](const std::string& problem) {
    mark_astray(directory, problem);
    std::fprintf(stderr,
                 "pixledger: the copy in %s is not that of the shared ledger, so the process ends; the next "
                 "start fetches it anew: %s\n",
                 directory.c_str(), problem.c_str());
    std::_Exit(3);
  };
}

}  // namespace pixledger::eventstore
