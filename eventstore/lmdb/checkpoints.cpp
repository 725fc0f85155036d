#include "eventstore/lmdb/checkpoints.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {

Checkpoints::Checkpoints(const LmdbEnvironment& environment, LogIdentity owner, ReadContent read_content)
    : environment_(environment),
      file_(environment.directory(), std::move(owner)),
      read_content_(std::move(read_content)),
      newest_(file_.newest_durable()) {}

Checkpoints::~Checkpoints() {
  release(begun_reader_);
  release(held_);
  for (auto*& reader : doubtful_) release(reader);
}

void Checkpoints::release(MDB_txn*& reader) {
  if (reader) mdb_txn_abort(reader);
  reader = nullptr;
}

// Inside an exclusive write no commit can be halfway, so LMDB's own snapshot is exact. The reader is no user
// of the map: it reads nothing after this write, and must not keep the map from growing.
void Checkpoints::hold(const LmdbCheckpoint& checkpoint) {
  release(held_);
  check_lmdb(mdb_txn_begin(environment_.get(), nullptr, MDB_RDONLY, &held_), "mdb_txn_begin");
  if (mdb_txn_id(held_) != checkpoint.transaction)
    throw LogCorrupt((environment_.directory() / "data.mdb").string() +
                     " is not as of its checkpoint: restore a backup");
  file_.forget_before(checkpoint);
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
  const int error = environment_.sync_data();
  const auto name = environment_.directory() / "data.mdb";
  // A read-only file system syncs nothing, and loses nothing either.
  if (error == EROFS) throw std::system_error(error, std::generic_category(), "cannot sync " + name.string());
  if (error != 0)
    throw SyncFailed("cannot sync " + name.string() + ": " + std::generic_category().message(error));
  try {
    file_.write(*begun_);
  } catch (...) {
    doubtful_.push_back(std::exchange(begun_reader_, nullptr));
    begun_.reset();
    throw;
  }
  newest_ = *std::move(begun_);
  begun_.reset();
  release(held_);
  for (auto*& reader : doubtful_) release(reader);
  doubtful_.clear();
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
