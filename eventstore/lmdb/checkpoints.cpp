#include "eventstore/lmdb/checkpoints.h"

#include <system_error>

#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {

Checkpoints::Checkpoints(const LmdbEnvironment& environment, LogIdentity owner, ReadContent read_content)
    : environment_(environment),
      file_(environment.directory(), std::move(owner)),
      read_content_(std::move(read_content)),
      newest_(file_.newest()) {}

Checkpoints::~Checkpoints() {
  release(begun_reader_);
  release(held_);
}

void Checkpoints::release(MDB_txn*& reader) {
  if (reader) mdb_txn_abort(reader);
  reader = nullptr;
}

// Inside an exclusive write no commit can be halfway, so LMDB's own snapshot is exact. The reader is no user
// of the map: it reads nothing after this write, and must not keep the map from growing.
void Checkpoints::hold(const Checkpoint& checkpoint) {
  release(held_);
  check_lmdb(mdb_txn_begin(environment_.get(), nullptr, MDB_RDONLY, &held_), "mdb_txn_begin");
  if (mdb_txn_id(held_) != checkpoint.transaction)
    throw LogCorrupt((environment_.directory() / "data.mdb").string() +
                     " is not as of its checkpoint: restore a backup");
  newest_ = checkpoint;
}

void Checkpoints::begin() {
  release(begun_reader_);
  begun_.reset();
  check_lmdb(mdb_txn_begin(environment_.get(), nullptr, MDB_RDONLY, &begun_reader_), "mdb_txn_begin");
  auto state = newest_meta_in(environment_.directory());
  const auto transaction = mdb_txn_id(begun_reader_);
  if (!state || state->transaction != transaction)
    throw LogCorrupt((environment_.directory() / "data.mdb").string() +
                     " has no meta page of its last commit");
  const auto content = read_content_(begun_reader_);
  state->number = content.number;
  state->place = content.place;
  begun_ = std::move(state);
}

bool Checkpoints::finish() {
  if (!begun_) return false;
  if (held_ && begun_->transaction == newest_.transaction) {
    release(begun_reader_);
    begun_.reset();
    return false;
  }
  if (is_planted(Planted::kReaderReleasedEarly)) release(held_);
  begun_->sequence = newest_.sequence + 1;
  if (is_planted(Planted::kSlotBeforeSync)) file_.write(*begun_);
  if (const int error = environment_.sync_data(); error != 0)
    throw SyncFailed("cannot sync " + (environment_.directory() / "data.mdb").string() + ": " +
                     std::generic_category().message(error));
  file_.write(*begun_);
  newest_ = *std::move(begun_);
  begun_.reset();
  release(held_);
  std::swap(held_, begun_reader_);
  return true;
}

void make_checkpoint(const LmdbEnvironment& environment, Checkpoints& checkpoints) {
  {
    const LmdbWrite write(environment);
    checkpoints.begin();
  }
  checkpoints.finish();
}

}  // namespace pixledger::eventstore
