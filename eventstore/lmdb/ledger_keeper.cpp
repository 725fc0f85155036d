#include "eventstore/lmdb/ledger_keeper.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/platform/signals.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::chrono::seconds kCheckpointEvery{1};
constexpr std::uint64_t kJournalBytesMax = 16 << 20;
constexpr std::chrono::milliseconds kAskEvery{5};
constexpr std::chrono::seconds kKeeperMax{60};

std::uint64_t last_commit_of(const LmdbEnvironment& environment) {
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(environment.get(), &info), "mdb_env_info");
  return info.me_last_txnid;
}

}  // namespace

void end_undurable(const std::string& reason) {
  std::fprintf(stderr, "pixledger: the ledger could not be made durable, so the process ends: %s\n",
               reason.c_str());
  std::_Exit(3);
}

LedgerKeeper::LedgerKeeper(const LmdbEnvironment& environment, const WriteGate& gate, KeeperOffice& office,
                           Journal& journal, const LogIdentity& ledger, Checkpoints::ReadContent read_content)
    : environment_(environment),
      gate_(gate),
      office_(office),
      journal_(journal),
      ledger_(ledger),
      read_content_(std::move(read_content)),
      file_(environment.directory(), ledger) {}

// The office is left inside a write: a writer that saw its holder alive has ended by then.
LedgerKeeper::~LedgerKeeper() {
  thread_.reset();
  if (!office_.is_mine()) return;
  const HeldSignals signals;
  try {
    make();
  } catch (const std::exception&) {
    // The journal has what the checkpoint lacks.
  }
  try {
    const WriteGate::Pass pass(gate_);
    const LmdbWrite write(environment_);
    checkpoints_.reset();
    office_.leave();
  } catch (const std::exception&) {
    checkpoints_.reset();
    office_.leave();
  }
}

void LedgerKeeper::begin(const LmdbCheckpoint& checkpoint) {
  const HeldSignals signals;
  const LmdbWrite write(environment_);
  const std::lock_guard lock(making_);
  if (!office_.take())
    throw LogUnavailable("another process keeps the checkpoints of " + environment_.directory().string());
  checkpoints_.emplace(environment_, ledger_, read_content_);
  if (checkpoint.meta.empty()) {
    checkpoints_->begin();
    checkpoints_->finish();
  } else {
    checkpoints_->hold(checkpoint);
  }
  start();
}

void LedgerKeeper::ensure() {
  if (office_.is_mine() || office_.is_held()) return;
  try {
    take_over();
  } catch (const Checkpoints::SyncFailed& error) {
    end_undurable(error.what());
  } catch (const std::system_error& error) {
    throw LogUnavailable(error.what());
  }
}

// The dead holder's reader still holds its checkpoint, and only the holder of the office clears readers.
void LedgerKeeper::take_over() {
  const std::lock_guard lock(making_);
  if (!office_.take()) return;
  try {
    checkpoints_.emplace(environment_, ledger_, read_content_);
    checkpoints_->begin();
    checkpoints_->finish();
  } catch (...) {
    checkpoints_.reset();
    office_.leave();
    throw;
  }
  environment_.clear_stale_readers_as_keeper();
  start();
}

void LedgerKeeper::start() {
  made_at_ = std::chrono::steady_clock::now();
  if (thread_)
    thread_->wake();
  else
    thread_ = std::make_unique<Periodic>(kLookEvery, [this] { return tick(); });
}

void LedgerKeeper::make() {
  const std::lock_guard lock(making_);
  if (is_in_office()) make_in_office();
}

// The office would be lost if the process had closed another descriptor of its file.
bool LedgerKeeper::is_in_office() {
  if (office_.is_mine() && office_.take()) return true;
  checkpoints_.reset();
  return false;
}

// Callers hold no write.
void LedgerKeeper::make_in_office() {
  {
    const HeldSignals signals;
    std::optional<WriteGate::Pass> pass(gate_);
    const LmdbWrite write(environment_);
    pass.reset();
    checkpoints_->begin();
    written_bytes_ = 0;
  }
  if (is_planted(Planted::kSegmentsReusedEarly))
    journal_.reuse_before(read_content_(LmdbRead(environment_).get()).place);
  checkpoints_->finish();
  made_at_ = std::chrono::steady_clock::now();
  environment_.clear_stale_readers_as_keeper();
  if (checkpoints_->newest().place.segment != 0) journal_.reuse_before(checkpoints_->newest().place);
}

Periodic::Wait LedgerKeeper::tick() {
  begin_writeback(environment_.directory());
  try {
    const std::lock_guard lock(making_);
    if (!is_in_office()) return Periodic::kUntilWoken;
    keep();
  } catch (const Checkpoints::SyncFailed& error) {
    end_undurable(error.what());
  } catch (const LogCorrupt& error) {
    end_undurable(error.what());
  } catch (const std::exception&) {
    // A shortage: the checkpoint before is still valid, and the next call tries again.
  }
  return kLookEvery;
}

void LedgerKeeper::keep() {
  const auto since = std::chrono::steady_clock::now() - made_at_;
  const auto& newest = checkpoints_->newest();
  const auto last = last_commit_of(environment_);
  if (last == newest.transaction) {
    if (since < kCheckpointEvery) return;
    environment_.clear_stale_readers_as_keeper();
    made_at_ = std::chrono::steady_clock::now();
    return;
  }
  const auto content = read_content_(LmdbRead(environment_).get());
  // Other commits than batches wait for a checkpoint.
  const bool is_waited_for = last - newest.transaction > content.number - newest.number;
  if (is_waited_for || since >= kCheckpointEvery || written_bytes_ > kJournalBytesMax)
    return make_in_office();
  if (content.place.segment != 0) journal_.prepare(content.place, newest.place);
}

void LedgerKeeper::make_durable(std::uint64_t transaction) {
  const auto deadline = std::chrono::steady_clock::now() + kKeeperMax;
  try {
    while (true) {
      if (office_.is_mine()) make();
      if (file_.newest().transaction >= transaction && newest().transaction >= transaction) return;
      if (!office_.is_held()) {
        const HeldSignals signals;
        std::optional<WriteGate::Pass> pass(gate_);
        const LmdbWrite write(environment_);
        pass.reset();
        ensure();
      } else if (std::chrono::steady_clock::now() > deadline) {
        throw LogUnavailable("the process that keeps the checkpoints of " +
                             environment_.directory().string() + " makes none: is it suspended?");
      }
      std::this_thread::sleep_for(kAskEvery);
    }
  } catch (const Checkpoints::SyncFailed& error) {
    end_undurable(error.what());
  } catch (const std::system_error& error) {
    throw LogUnavailable(error.what());
  }
}

void LedgerKeeper::note_written(const Journal::Room& room) {
  written_bytes_ += room.after.offset - room.at.offset;
  if (written_bytes_ > kJournalBytesMax && office_.is_mine()) thread_->wake();
}

}  // namespace pixledger::eventstore
