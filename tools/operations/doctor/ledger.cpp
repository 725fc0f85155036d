#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "domain/values/cents.h"
#include "eventstore/executor/clock_guard.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/lmdb/database_facts.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lmdb_stats.h"
#include "eventstore/lmdb/lock_file.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/postgres/lost_commits.h"
#include "projections/generations/generation.h"
#include "projections/views/charge_sums.h"
#include "projections/views/view_tables.h"
#include "stores/sql/refusal.h"
#include "tools/operations/customer_eraser.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr std::uint64_t kMapWarningPercent = 70;
constexpr std::uint64_t kMapProblemPercent = 90;
constexpr std::chrono::seconds kReadLastsMax{5};  // a checkpoint's reader lasts a second, and a sync
constexpr std::chrono::milliseconds kLookAgainAfter{20};

void examine_database(const std::string& name, const eventstore::DatabaseFacts& facts, Diagnoses& found) {
  const auto percent = facts.map_bytes == 0 ? 100 : facts.used_bytes * 100 / facts.map_bytes;
  auto severity = Severity::kOk;
  if (percent >= kMapWarningPercent) severity = Severity::kWarning;
  if (percent >= kMapProblemPercent) severity = Severity::kProblem;
  found.push_back(
      {name + " map", severity,
       std::to_string(facts.used_bytes >> 20) + " of " + std::to_string(facts.map_bytes >> 20) + " MiB used",
       severity == Severity::kOk ? "" : "give a larger --map-size to all programs"});
  if (!facts.dead_readers) {
    found.push_back({name + " readers", Severity::kOk, "none: no other process has it open", ""});
  } else if (facts.dead_readers->empty()) {
    found.push_back({name + " readers", Severity::kOk, "none of a process that died", ""});
  } else {
    found.push_back({name + " readers", Severity::kWarning,
                     std::to_string(facts.dead_readers->size()) + " of processes that died, such as " +
                         std::to_string(facts.dead_readers->front()),
                     "a running server frees them within a second; without one the next start does"});
  }
}

// Every read is short: a reader that keeps its snapshot is stuck, or its process is stopped.
void examine_old_reader(const std::string& name, const std::filesystem::path& directory,
                        const eventstore::LedgerOptions& options, const eventstore::DatabaseFacts& before,
                        Diagnoses& found) {
  if (!before.old_reader) return;
  // Only time distinguishes a stuck reader from a running one; waits no longer than needed.
  const auto until = std::chrono::steady_clock::now() + kReadLastsMax;
  const auto look = [&] { return eventstore::inspect_database(directory, options.map_bytes).old_reader; };
  auto now = look();
  while (now && now->is_same_as(*before.old_reader) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kLookAgainAfter);
    now = look();
  }
  if (!now || !now->is_same_as(*before.old_reader)) return;
  const auto pid = static_cast<std::uint64_t>(now->pid);
  found.push_back({name + " readers", Severity::kWarning,
                   "process " + std::to_string(pid) + " (" + eventstore::program_of(pid) +
                       ") goes on reading a snapshot that is " + std::to_string(now->behind) +
                       " commits old, and the file grows meanwhile",
                   "end that process: kill " + std::to_string(pid)});
}

void examine_clock(const eventstore::LedgerFacts& facts, const Clock& clock, Diagnoses& found) {
  const auto before = found.size();
  const auto ahead_ms = facts.head.time.millis() - clock.now().millis();
  if (ahead_ms > eventstore::kClockJumpMaxMs)
    found.push_back({"clock", Severity::kProblem,
                     "the ledger's newest commit is " + std::to_string(ahead_ms / 1000) +
                         " seconds in the future: writes stop",
                     "set the clock right, or run: pixledger clock accept"});
  const auto reading = eventstore::read_clock(clock);
  if (facts.accepted && facts.accepted->boot_id == reading.boot_id) {
    const auto jumped_ms = reading.offset_ms - facts.accepted->offset_ms;
    if (std::abs(jumped_ms) > eventstore::kClockJumpMaxMs)
      found.push_back(
          {"clock", Severity::kWarning,
           "it has jumped by " + std::to_string(jumped_ms / 1000) + " seconds since an operator accepted it",
           "if writes stop, set the clock right, or run: pixledger clock accept"});
  }
  if (found.size() == before) found.push_back({"clock", Severity::kOk, "not behind the ledger", ""});
}

void examine_gate(const std::filesystem::path& directory, Diagnoses& found) {
  try {
    found.push_back(
        {"write gate", Severity::kOk, is_locked(directory / "gate") ? "somebody is writing" : "free", ""});
  } catch (const std::exception& error) {
    found.push_back({"write gate", Severity::kWarning, error.what(), "run this as the directory's owner"});
  }
}

void examine_wake(const std::filesystem::path& directory, Diagnoses& found) {
  const auto page = directory / "wake";
  const bool is_shared = !std::filesystem::exists(page) ||
                         (std::filesystem::is_regular_file(page) && may_write(directory, {"wake"}));
  if (is_shared || !may_write(directory, {"data.mdb"})) return;
  found.push_back({"wake-ups", Severity::kWarning,
                   page.string() +
                       " is no file that this user may write: programs look once a second for what "
                       "others have written",
                   "remove it, and start all programs again"});
}

}  // namespace

bool examine_ledger(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  const auto directory = options.data.ledger();
  try {
    const auto facts = eventstore::inspect_ledger(directory, options.map_bytes);
    const bool is_newer = facts.format > eventstore::kNewestFormat;
    found.push_back({"ledger", is_newer ? Severity::kProblem : Severity::kOk,
                     facts.identity.ledger_id + ", epoch " + std::to_string(facts.identity.epoch) +
                         ", format " + std::to_string(facts.format) + ", " +
                         std::to_string(facts.head.position.value()) + " events",
                     is_newer ? "a newer release wrote it: install that one" : ""});
    examine_database("ledger", facts.database, found);
    examine_old_reader("ledger", directory, options, facts.database, found);
    examine_clock(facts, clock, found);
    examine_gate(directory, found);
    examine_wake(directory, found);
    return true;
  } catch (const eventstore::DatabaseNotClosed& not_closed) {
    found.push_back({"ledger", Severity::kWarning, not_closed.what(), "run: pixledger verify"});
  } catch (const eventstore::LmdbFileDamaged& damaged) {
    found.push_back(
        {"ledger", Severity::kProblem, damaged.what(),
         "its end is lost: put the data directory away as it is, and " + remedy_of_damage(options.data)});
  } catch (const std::exception& error) {
    found.push_back({"ledger", Severity::kProblem, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify; if it is damaged, " +
                                                         remedy_of_damage(options.data))});
  }
  return false;
}

std::string remedy_of_damage(const DataDirectory& data) {
  std::error_code unreadable;
  return std::filesystem::exists(data.node(), unreadable)
             ? "stop this node's programs, remove ledger/ and start them: the copy is fetched anew"
             : "restore the last backup";
}

void examine_kept_copies(const DataDirectory& data, Diagnoses& found) {
  std::vector<std::filesystem::path> kept;
  for (const auto& copy : eventstore::kept_copies(data)) {
    const auto note = eventstore::read_loss_note(copy);
    if (!note || !note->is_nothing_lost()) {
      kept.push_back(copy);
      continue;
    }
    found.push_back({"kept copies", Severity::kWarning,
                     copy.string() + " has no event that the ledger does not have: it was damaged",
                     "remove it; the next copy that is fetched removes it, too"});
  }
  if (kept.empty()) return;
  found.push_back(
      {"kept copies", Severity::kProblem,
       "PostgreSQL had lost commits, or has others, or the copy was damaged: that lies in " +
           kept.back().string() +
           (kept.size() > 1 ? ", with " + std::to_string(kept.size() - 1) + " more beside it" : ""),
       "see docs/how-to/operate/lost-commits.md; take it away once that is settled"});
}

void examine_erasures(const DataDirectory& data, Diagnoses& found) {
  try {
    const auto lock = data.erasing_lock();
    if (is_locked(lock) && !find_unfinished_erasures(data.root).empty())
      found.push_back({"erasure", Severity::kOk, "under way: " + OwnerLock::holder_of(lock), ""});
    for (const auto& customer : find_abandoned_erasures(data))
      found.push_back(
          {"erasure", Severity::kProblem,
           "that of customer " + customer + " was begun and not finished: personal data may be left",
           "run it again: pixledger customer erase --id " + customer + " --reason R"});
  } catch (const std::exception& error) {
    found.push_back({"erasure", Severity::kWarning, error.what(), "run this as the directory's owner"});
  }
}

void examine_views(const eventstore::LedgerOptions& options, Diagnoses& found) {
  const auto views = options.data.views();
  try {
    const bool is_running = is_locked(views / "lock");
    found.push_back(
        {"server", is_running ? Severity::kOk : Severity::kWarning,
         is_running ? "runs: " + OwnerLock::holder_of(views / "lock") : "none runs on this directory",
         is_running ? "" : "start pixledger-server, unless it is meant to be down"});
    if (is_locked(views / projections::kRebuildLock))
      found.push_back({"rebuild", Severity::kOk,
                       "under way: " + OwnerLock::holder_of(views / projections::kRebuildLock), ""});
    for (const auto& kept : projections::find_kept_generations(views))
      found.push_back({"read models", Severity::kWarning,
                       kept.path.filename().string() + " disagreed with the ledger and is kept: " + kept.why,
                       "find out which is right: pixledger verify --against CHECKPOINT; then: rm -r " +
                           kept.path.string()});
    const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
    const auto in_use = projections::find_trusted_generation(views, facts.identity);
    const auto version = std::to_string(projections::kViewSetVersion);
    if (!in_use) {
      found.push_back({"read models", Severity::kWarning,
                       "none of set version " + version + " can be read now",
                       "the next start builds them or, if the server was killed, brings them up to date; "
                       "pixledger projections rebuild builds them before"});
      return;
    }
    const auto name = in_use->filename().string();
    const auto cursor = projections::peek_cursor(*in_use, options.lmdb());
    if (has_event_of(options, cursor.position, cursor.leaf_hash))
      found.push_back(
          {"read models", Severity::kOk, name + ", set version " + version + " of this release", ""});
    else
      found.push_back({"read models", Severity::kProblem,
                       name + " were made of an event at position " +
                           std::to_string(cursor.position.value()) +
                           " that the ledger does not have: either may be wrong",
                       "keep a copy of the data directory before anything is started; what tells which is "
                       "right: pixledger verify --against CHECKPOINT"});
    const auto database = eventstore::inspect_database(*in_use, options.map_bytes);
    examine_database("read models", database, found);
    examine_old_reader("read models", *in_use, options, database, found);
  } catch (const std::exception& error) {
    found.push_back({"read models", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

bool has_event_of(const eventstore::LedgerOptions& options, Position position, const Digest& leaf_hash) {
  return position == Position() ||
         eventstore::leaf_hash_in(options.data.ledger(), options.map_bytes, position) == leaf_hash;
}

void examine_money(const eventstore::LedgerOptions& options, Diagnoses& found) {
  try {
    const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
    const auto in_use = projections::find_trusted_generation(options.data.views(), facts.identity);
    if (!in_use) return;  // reported with the read models
    constexpr std::string_view kLive = "/live";
    for (const auto& [place, sum] : projections::peek_unapplied_sums(*in_use, options.lmdb())) {
      if (!std::string_view(place).ends_with(kLive)) continue;
      const auto project = place.substr(0, place.size() - kLive.size());
      found.push_back({"money", Severity::kWarning,
                       std::to_string(sum.count) + " payments, " +
                           domain::to_decimal(domain::Cents(sum.cents)) +
                           " reais in all, arrived at charges of project " + project +
                           " and paid none of them: they are kept aside",
                       "settle them: pixledger payment list --project " + project +
                           ", then charge accept-payment or return-payment"});
    }
  } catch (const std::exception& error) {
    found.push_back({"money", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

namespace {

bool is_access_refused(const std::exception& error) {
  const auto* by_system = dynamic_cast<const std::system_error*>(&error);
  if (by_system && by_system->code() == std::errc::permission_denied) return true;
  const auto* by_lmdb = dynamic_cast<const eventstore::LmdbError*>(&error);
  if (by_lmdb && by_lmdb->code() == EACCES) return true;
  return stores::is_inaccessible_to_sqlite(error);
}

}  // namespace

std::optional<std::string> advice_when_refused(const std::exception& error) {
  if (dynamic_cast<const eventstore::LmdbMapRefused*>(&error))
    return "give all programs a smaller --map-size, or raise the limit of address space (LimitAS, ulimit -v)";
  if (dynamic_cast<const eventstore::LockFileUnusable*>(&error)) return eventstore::kLockFileRemedy;
  if (is_access_refused(error)) return "run this as the directory's owner";
  return stores::refusal_of(error);
}

}  // namespace pixledger::tools
