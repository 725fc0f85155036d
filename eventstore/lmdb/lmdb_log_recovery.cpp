#include "eventstore/lmdb/lmdb_log_recovery.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>

#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "eventstore/lmdb/lock_file.h"

// What a ledger with a journal has on its disk after a loss of power is its newest checkpoint and the records
// after it. What LMDB wrote since may be there in part. The first program that opens the ledger therefore
// always goes back to the checkpoint and takes in the records, whatever happened before: after a kill that
// costs a second's batches, after a regular end nothing. It holds the checkpoint meanwhile, so that it may
// itself be interrupted and repeated. Only a new checkpoint ends it.
namespace pixledger::eventstore {
namespace {

constexpr const char* kJournalDirectory = "journal";
constexpr const char* kLmdbLockFile = "lock.mdb";
constexpr std::chrono::seconds kStrangersMax{10};
constexpr std::chrono::milliseconds kStrangersEvery{5};
constexpr int kDisturbedChecksMax = 10;

LmdbCheckpoint first_of_journal() {
  LmdbCheckpoint first;
  first.place = Journal::kFirstPlace;
  return first;
}

// A copy of a shared ledger is never set back: its mark of the boot says whether it is whole, and what it has
// beyond PostgreSQL is evidence.
bool is_of_copy(const LmdbCheckpoint& checkpoint) { return checkpoint.place == kPlaceOfCopy; }

// A database that is made of the ledger is not set back while anybody has it open: the machine has been
// running since it was written. Its processes keep no mark.
bool is_in_use_without_mark(const LmdbCheckpoint& checkpoint, const std::filesystem::path& directory) {
  return checkpoint.place == JournalPlace{} && is_in_use(directory);
}

[[noreturn]] void refuse_unrecovered(const std::filesystem::path& directory) {
  throw std::runtime_error(
      directory.string() +
      " was not closed, and reading it would change it: let a program recover it that may "
      "write there, such as pixledger doctor run by its owner");
}

std::unique_ptr<Descriptor> mark_open(const std::filesystem::path& directory, bool& is_first) {
  auto mark = std::make_unique<Descriptor>(directory / "checkpoint", O_RDONLY);
  if (!*mark) fail_on(directory / "checkpoint", "open");
  auto others = lock_of(F_WRLCK);
  auto own = lock_of(F_RDLCK);
  if (::fcntl(mark->number(), F_OFD_GETLK, &others) != 0 || ::fcntl(mark->number(), F_OFD_SETLK, &own) != 0)
    fail_on(directory / "checkpoint", "lock");
  is_first = others.l_type == F_UNLCK;
  return mark;
}

// A process without the mark that has LMDB's file open is about to end, or knows no checkpoints.
void wait_for_strangers(const std::filesystem::path& directory) {
  const auto deadline = std::chrono::steady_clock::now() + kStrangersMax;
  while (is_locked(directory / kLmdbLockFile)) {
    if (std::chrono::steady_clock::now() > deadline)
      throw LogUnavailable("a program of another release, or a tool of LMDB, has " + directory.string() +
                           " open, so it cannot be recovered: end that program");
    std::this_thread::sleep_for(kStrangersEvery);
  }
}

}  // namespace

LmdbOpening::LmdbOpening(const std::filesystem::path& directory, const LmdbOptions& asked)
    : turn(std::make_unique<DirectoryLock>(directory)), options(asked) {
  refuse_lost_lock_file(directory);
  if (!CheckpointFile::exists(directory)) {
    is_first = !is_locked(directory / kLmdbLockFile);
    return;
  }
  mark = mark_open(directory, is_first);
  checkpoint = CheckpointFile::newest_in(directory);
  options.has_checkpoints = true;
  if (is_first && is_in_use_without_mark(*checkpoint, directory)) is_first = false;
  if (!is_first) return;
  wait_for_strangers(directory);
  if (checkpoint->meta.empty() || is_of_copy(*checkpoint)) return;
  if (!options.read_only) {
    go_back_to(*checkpoint, directory);
    return;
  }
  const auto state = newest_meta_in(directory);
  if (!state || state->transaction != checkpoint->transaction) refuse_unrecovered(directory);
}

void LmdbLog::finish_opening(const LmdbOpening& opening, bool wants_journal) {
  if (!opening.checkpoint) {
    if (stored_format() >= kJournalFormat)
      throw LogCorrupt((environment_.directory() / "checkpoint").string() +
                       " is missing, without which the ledger cannot be used: restore a backup");
    if (!wants_journal || !opening.is_first || !gate_ || is_copy()) return;
    CheckpointFile(environment_.directory(), identity_).create();
    bool is_first = false;
    mark_ = mark_open(environment_.directory(), is_first);
    return adopt_journal();
  }
  const CheckpointFile file(environment_.directory(), identity_);
  const auto checkpoint = file.newest();  // names another ledger if it is of one
  if (!gate_) {
    if (opening.is_first && !checkpoint.meta.empty() && !is_copy() && journal_reader(checkpoint).next())
      refuse_unrecovered(environment_.directory());
    return;
  }
  if (checkpoint.meta.empty()) {
    if (!opening.is_first) return;
    // No batch is in a journal before the first checkpoint is on the disk.
    if (stored_format() >= kJournalFormat && journal_reader(first_of_journal()).next())
      throw LogCorrupt((environment_.directory() / "checkpoint").string() +
                       " has no checkpoint, but the journal has batches: restore a backup");
    return adopt_journal();
  }
  use_journal();
  if (opening.is_first) recover(checkpoint);
}

// Until the first checkpoint is written, the ledger is as LMDB's own syncs have left it.
void LmdbLog::adopt_journal() {
  Journal::create(environment_.directory() / kJournalDirectory, identity_);
  {
    LmdbWrite write(environment_);
    lmdb_put(write.get(), databases_.meta, kJournal, encode_journal({0, Journal::kFirstPlace}));
    lmdb_put(
        write.get(), databases_.meta, "format",
        big_endian(is_format_of_copy(read_format(write.get(), databases_)) ? format_of_copy(kJournalFormat)
                                                                           : kJournalFormat));
    seal_meta(write.get(), databases_);
    write.commit();
  }
  use_journal();
  keeper_->begin({});
}

void LmdbLog::use_journal() {
  environment_.end_syncs();
  office_ = std::make_unique<KeeperOffice>(environment_.directory());
  journal_ = std::make_unique<Journal>(environment_.directory() / kJournalDirectory, identity_);
  keeper_ = std::make_unique<LedgerKeeper>(
      environment_, *gate_, *office_, *journal_, identity_, [this](MDB_txn* transaction) {
        const auto journal = read_journal(transaction, databases_).value_or(StoredJournal{});
        const bool is_copy = is_format_of_copy(read_format(transaction, databases_));
        return Checkpoints::Content{journal.number + read_copied_batch(transaction, databases_),
                                    is_copy ? kPlaceOfCopy : journal.next};
      });
}

JournalReader LmdbLog::journal_reader(const LmdbCheckpoint& checkpoint) const {
  const LmdbRead read(environment_);
  // A copy's commits count in the checkpoint's number, but have no records.
  return {environment_.directory() / kJournalDirectory, identity_, checkpoint.place,
          checkpoint.number - read_copied_batch(read.get(), databases_)};
}

void LmdbLog::recover(const LmdbCheckpoint& checkpoint) {
  if (is_of_copy(checkpoint)) return keeper_->begin({});
  keeper_->begin(checkpoint);
  auto reader = journal_reader(checkpoint);
  const auto from = reader.number();
  auto place = reader.describe();
  for (auto record = reader.next(); record; record = reader.next()) {
    take_in(*record, reader.place(), place);
    place = reader.describe();
  }
  journal_->erase_after(reader.place());
  if (reader.number() == from && !reader.is_torn()) return;
  make_durable(last_commit());
  recovered_ = "took in " + std::to_string(reader.number() - from) + " batches from the journal";
  if (reader.is_torn()) recovered_ += "; removed a record that was not whole, at " + reader.describe();
}

// Without writers meanwhile, if this process may keep them away. The keeper may still reuse segments from
// before a checkpoint that it has just made.
std::optional<std::string> LmdbLog::find_problem_of_journal(const LmdbCheckpoint& checkpoint) const {
  std::optional<WriteGate::Pass> pass;
  std::optional<LmdbWrite> still;
  if (gate_) {
    pass.emplace(*gate_);
    still.emplace(environment_);
  }
  try {
    const auto stored = [this] {
      const LmdbRead read(environment_);
      return read_journal(read.get(), databases_);
    }();
    auto reader = journal_reader(checkpoint);
    while (reader.next()) {
    }
    if (!stored || reader.number() >= stored->number) return std::nullopt;
    return "the journal " + reader.describe() + " ends before batch " + std::to_string(stored->number);
  } catch (const LogCorrupt& error) {
    return error.what();
  }
}

std::optional<std::string> LmdbLog::problem_of_files() const {
  if (!CheckpointFile::exists(environment_.directory())) return std::nullopt;
  const CheckpointFile file(environment_.directory(), identity_);
  std::optional<std::string> problem;
  try {
    for (int check = 0; check < kDisturbedChecksMax; ++check) {
      const auto checkpoint = file.newest();
      if (checkpoint.meta.empty() || is_copy()) return std::nullopt;
      problem = find_problem_of_journal(checkpoint);
      if (!problem || file.newest().sequence == checkpoint.sequence) return problem;
    }
  } catch (const LogCorrupt& error) {
    problem = error.what();
  }
  return problem;
}

}  // namespace pixledger::eventstore
