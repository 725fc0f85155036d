#include "eventstore/postgres/node_copy.h"

#include <fstream>
#include <thread>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lmdb_log_import.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

// Files beside the copy: what is wrong with it; its ledger and epoch, in case it cannot be opened; and an
// unfinished fetch.
constexpr const char* kAstray = "ledger.astray";
constexpr const char* kIdentity = "ledger.of";
constexpr const char* kUnfinished = "ledger.fetching";
constexpr std::chrono::minutes kFetchMax{60};
// Programs that have an untrusted copy open see that within a second or two, and end. A program whose beat
// waits for a silent PostgreSQL sees it when the beat has failed.
constexpr std::chrono::seconds kUsersMax{20};
constexpr std::chrono::milliseconds kUsersEvery{50};

// Without a valid text the copy is fetched again, which also writes the file.
struct MarkOfTrust {
  std::string boot_id;
  std::string problem;  // empty: none
};
MarkOfTrust read_mark_of_trust(const SharedNode& node) {
  const auto file = mark_of_trust(node);
  try {
    const auto boot_id = read_if_there(file);
    if (!boot_id) return {.boot_id = "", .problem = "it was found to be bad, or is from elsewhere"};
    if (boot_id->empty()) return {.boot_id = "", .problem = file.string() + " is empty"};
    return {.boot_id = *boot_id, .problem = ""};
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::is_a_directory)
      return {.boot_id = "", .problem = file.string() + " is a directory"};
    if (error.code() == std::errc::permission_denied)
      return {.boot_id = "", .problem = "this user may not read " + file.string()};
    throw;
  }
}

void note_identity(const SharedNode& node, const LogIdentity& ledger) {
  const auto file = node.directory / kIdentity;
  if (read_if_there(file) != named_with_epoch(ledger)) write_durably(file, named_with_epoch(ledger));
}

// nullopt: only releases that do not note it have opened the copy.
std::optional<std::string> noted_identity(const SharedNode& node) {
  return read_if_there(node.directory / kIdentity);
}

// Refuses writes at all nodes as soon as the loss is known: fetching another copy may take an hour.
void compare(PgClient& client, const SharedNode& node, const LmdbLog& copy) {
  try {
    check_copy(client, copy);
  } catch (const CopyAstray&) {
    report_loss(client, node, copy);
    throw;
  }
}

// Lets the copy be replaced only if it is of the same ledger and epoch, or cannot be read at all. After a
// restore of the database an old copy may be the only record of what came after the backup. A copy with
// commits that PostgreSQL lacks is kept; since a restart of the machine no program may have noticed them.
void refuse_other_ledger(const SharedNode& node, const LmdbOptions& options, const LogIdentity& ledger,
                         PgClient& client) {
  const auto directory = DataDirectory{node.directory}.ledger();
  if (!LmdbLog::is_in(directory)) return;
  auto here = noted_identity(node);
  try {
    // A copy that was found damaged is not opened: reading its pages may crash the process.
    if (!fs::exists(mark_of_bad_copy(node))) {
      const LmdbLog copy(directory, options);
      here = named_with_epoch(copy.identity());
      if (here == named_with_epoch(ledger)) {
        // If the comparison ends the process, the next start skips it.
        mark_as_bad(node, "it was being compared with what PostgreSQL has");
        compare(client, node, copy);
        fs::remove(mark_of_bad_copy(node));
      }
    }
  } catch (const CopyAstray&) {
    ask_to_keep_copy(node.directory, mark_of_trust(node));
  } catch (const LogUnavailable&) {
    fs::remove(mark_of_bad_copy(node));
    throw;
  } catch (const std::system_error&) {  // the system refuses to open or to read it: nothing is known of it
    fs::remove(mark_of_bad_copy(node));
    throw;
  } catch (const std::bad_alloc&) {
    fs::remove(mark_of_bad_copy(node));
    throw;
  } catch (const std::exception&) {
    // Damaged: that is why it is fetched.
  }
  if (here && *here != named_with_epoch(ledger))
    throw LedgerMismatch("the database " + node.uri.database + " has the ledger " + named_with_epoch(ledger) +
                         ", and " + directory.string() + " is of " + *here +
                         ": keep that elsewhere as long as it may be the only one with what it has, and "
                         "give the node a data directory with the keys alone");
}

// Checks first, so that a refused node leaves nothing behind.
void refuse_early(const SharedNode& node) {
  DeadlineWatch watch;
  start_client(node, nullptr, watch);
}

// A new copy has only what PostgreSQL has sent, so a mismatch is PostgreSQL's damage.
void take_in_all(PgClient& client, LmdbLog& copy) {
  try {
    take_in_batches(client, copy);
  } catch (const CopyAstray& error) {
    throw SharedLedgerDamaged(error.what());
  }
}

// Removes kept copies whose examination has found no loss. No program has them open: the node's programs are
// stopped while a copy is fetched.
void remove_copies_without_loss(PgClient& client, const SharedNode& node) {
  report_losses(client, node);  // ends the stop of writes by their rows
  for (const auto& directory : kept_copies(node.directory))
    if (const auto note = read_loss_note(directory); note && note->is_nothing_lost())
      fs::remove_all(directory);
}

void fetch(const SharedNode& node, const LmdbOptions& options) {
  const DataDirectory data{node.directory};
  const auto unfinished = node.directory / kUnfinished;
  DeadlineWatch watch;
  const auto client = start_client(node, nullptr, watch);
  const auto ledger = find_shared_ledger(*client);
  refuse_other_ledger(node, options, ledger->ledger, *client);
  remove_copies_without_loss(*client, node);
  refuse_full_of_copies(node.directory);
  fs::remove_all(unfinished);
  LmdbLogImport(unfinished, options)
      .finish(
          ledger->ledger,
          {.head = {}, .id_counter = 0, .keyring = ledger->keyring, .ended_epochs = ledger->ended_epochs});
  {
    LmdbLog copy(unfinished, options);
    copy.become_copy([] { return 0; });
    take_in_all(*client, copy);
    copy.environment().sync();
  }
  fs::remove_all(data.views());
  put_copy_away(node.directory);
  // Before the copy is in place: without these marks it is taken for a ledger of its own.
  note_identity(node, ledger->ledger);
  mark_as_opened(node);
  fs::rename(unfinished, data.ledger());
  fs::remove(mark_of_bad_copy(node));
  sync_directory(node.directory);
}

// Waits until no program uses the copy that is replaced, or the views that were made of it.
std::unique_ptr<OwnerLock> wait_for_users(const SharedNode& node) {
  const auto deadline = std::chrono::steady_clock::now() + kUsersMax;
  while (true) {
    if (auto alone = OwnerLock::try_take(users_of_copy(node))) return alone;
    if (std::chrono::steady_clock::now() >= deadline)
      throw std::runtime_error("the copy of the shared ledger in " + node.directory.string() +
                               " has to be fetched anew (" + problem_of_copy(node).value_or("it is new") +
                               "), but programs still have it open: stop all programs on that directory, and "
                               "start them again");
    std::this_thread::sleep_for(kUsersEvery);
  }
}

// Returns null if the copy is damaged, and marks it so. A refusal by the system, or a newer release's format,
// says nothing about the copy.
std::unique_ptr<LmdbLog> try_open(const SharedNode& node, const LmdbOptions& options) {
  try {
    auto copy = std::make_unique<LmdbLog>(DataDirectory{node.directory}.ledger(), options);
    try {
      note_identity(node, copy->identity());
    } catch (const std::system_error&) {
      // There is no room for it; the next program that opens the copy notes it.
    }
    return copy;
  } catch (const LmdbDamaged& error) {
    mark_as_bad(node, error.what());
  } catch (const LmdbFileDamaged& error) {
    mark_as_bad(node, error.what());
  } catch (const LogCorrupt& error) {
    mark_as_bad(node, error.what());
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<LmdbLog> open_copy(const SharedNode& node, LmdbOptions options) {
  options = without_sync(options);
  if (!problem_of_copy(node))
    if (auto copy = try_open(node, options)) return copy;
  refuse_early(node);
  {
    const auto lock = OwnerLock::take_within(DataDirectory{node.directory}.copy_fetching_lock(), kFetchMax);
    if (problem_of_copy(node)) {
      const auto alone = wait_for_users(node);
      fetch(node, options);
    }
  }
  return std::make_unique<LmdbLog>(DataDirectory{node.directory}.ledger(), options);
}

void mark_as_opened(const SharedNode& node) {
  const auto file = mark_of_trust(node);
  if (fs::is_directory(file)) fs::remove(file);
  write_durably(file, SystemClock().boot_id());
}

void mark_as_bad(const SharedNode& node, const std::string& problem) {
  std::ofstream(mark_of_bad_copy(node)) << problem << "\n";
  // A full disk may have no room for the mark. Removing this file is always possible, and counts as well.
  std::error_code ignored;
  fs::remove(mark_of_trust(node), ignored);
}

fs::path mark_of_bad_copy(const SharedNode& node) { return node.directory / kAstray; }

fs::path mark_of_trust(const SharedNode& node) { return DataDirectory{node.directory}.copy_boot(); }

fs::path users_of_copy(const SharedNode& node) { return DataDirectory{node.directory}.copy_users_lock(); }

std::optional<std::string> mark_on_copy(const SharedNode& node) {
  if (!LmdbLog::is_in(DataDirectory{node.directory}.ledger())) return std::nullopt;
  if (const auto marked = read_if_there(mark_of_bad_copy(node)))
    return "it was found to be bad: " + marked->substr(0, marked->find('\n'));
  const auto mark = read_mark_of_trust(node);
  return mark.problem.empty() ? std::nullopt : std::optional(mark.problem);
}

std::optional<std::string> problem_of_copy(const SharedNode& node) {
  if (!LmdbLog::is_in(DataDirectory{node.directory}.ledger())) return "it is missing";
  if (auto marked = mark_on_copy(node)) return marked;
  if (read_mark_of_trust(node).boot_id != SystemClock().boot_id())
    return "the machine was started again since it was written, or " + mark_of_trust(node).string() +
           " is damaged";
  return std::nullopt;
}

}  // namespace pixledger::eventstore
