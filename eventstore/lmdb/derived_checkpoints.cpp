#include "eventstore/lmdb/derived_checkpoints.h"

#include "eventstore/lmdb/lock_file.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kWritebackEvery{20};
constexpr int kWritebacks = 50;  // for a checkpoint each second

std::optional<LmdbCheckpoint> find_checkpoint(const fs::path& directory,
                                              const std::optional<LogIdentity>& ledger) {
  if (!fs::exists(directory / "data.mdb") || !CheckpointFile::exists(directory)) return std::nullopt;
  try {
    auto checkpoint =
        ledger ? CheckpointFile(directory, *ledger).newest() : CheckpointFile::newest_in(directory);
    if (!checkpoint.meta.empty()) return checkpoint;
  } catch (const LogCorrupt&) {
    // Damaged, or of another ledger.
  }
  return std::nullopt;
}

const LmdbEnvironment& with_checkpoint_file(const LmdbEnvironment& environment, const LogIdentity& ledger) {
  if (!find_checkpoint(environment.directory(), ledger))
    CheckpointFile(environment.directory(), ledger).create();
  return environment;
}

}  // namespace

bool is_derived_readable(const fs::path& directory, const std::optional<LogIdentity>& ledger) {
  const auto checkpoint = find_checkpoint(directory, ledger);
  if (!checkpoint) return false;
  if (is_in_use(directory)) return true;
  const auto state = newest_meta_in(directory);
  return state && state->transaction == checkpoint->transaction;
}

std::unique_ptr<LmdbOpening> begin_derived_opening(const fs::path& directory, const LogIdentity& ledger,
                                                   const LmdbOptions& options) {
  if (!find_checkpoint(directory, ledger)) return nullptr;
  try {
    return std::make_unique<LmdbOpening>(directory, without_sync(options));
  } catch (const LogCorrupt&) {
    return nullptr;
  }
}

void remove_derived(const fs::path& directory, const LogIdentity& ledger) {
  if (CheckpointFile::exists(directory)) CheckpointFile(directory, ledger).create();
  for (const auto* name : {"data.mdb", "lock.mdb"}) fs::remove(directory / name);
}

DerivedCheckpoints::DerivedCheckpoints(const LmdbEnvironment& environment, const LogIdentity& ledger)
    : environment_(with_checkpoint_file(environment, ledger)),
      // The ledger's position is in the database itself.
      checkpoints_(std::in_place, environment, ledger, [](MDB_txn*) { return Checkpoints::Content{}; }),
      thread_(kWritebackEvery, kWritebackEvery, [this, turn = 0]() mutable {
        begin_writeback(environment_.directory());
        if (++turn % kWritebacks != 0) return;
        try {
          make();
        } catch (const std::exception&) {
          // The checkpoint before stays valid, and the next call tries again.
        }
      }) {
  make();
}

void DerivedCheckpoints::make() {
  const std::lock_guard lock(mutex_);
  if (!checkpoints_)
    throw std::runtime_error("a sync of " + (environment_.directory() / "data.mdb").string() + " failed");
  {
    const LmdbWrite write(environment_);
    checkpoints_->begin();
  }
  try {
    checkpoints_->finish();
  } catch (const Checkpoints::SyncFailed&) {
    // Held for ever, the last checkpoint would let the file grow without end.
    checkpoints_->file().create();
    checkpoints_.reset();
    throw;
  }
  environment_.clear_stale_readers_as_keeper();
}

}  // namespace pixledger::eventstore
