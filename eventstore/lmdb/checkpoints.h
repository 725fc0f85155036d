#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "eventstore/lmdb/checkpoint_file.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::eventstore {

// Makes checkpoints of an environment that LMDB writes without syncs (LmdbOptions::has_checkpoints), in one
// process at a time. A reader holds the state of the newest checkpoint, so that LMDB uses none of its pages
// for anything else, and the disk has that state whatever is written later. The reader must outlive the
// checkpoint: only this process may clear stale readers, and the environment may be written only while one
// has the checkpoint's reader.
//
// Not thread-safe. The environment outlives it.
class Checkpoints {
 public:
  // What a snapshot holds, beside LMDB's own number of the commit.
  struct Content {
    std::uint64_t number = 0;
    JournalPlace place;
  };
  using ReadContent = std::function<Content(MDB_txn*)>;

  // A sync of the data file has failed, so later ones prove nothing. The previous checkpoint is still valid;
  // the process must end, and what opens the environment next goes back to that one.
  class SyncFailed : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // `read_content`: for an environment without a journal returns {number, {}}.
  Checkpoints(const LmdbEnvironment& environment, LogIdentity owner, ReadContent read_content);
  // Releases the reader.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // Each of these two is called inside an exclusive write of this process, which has changed nothing yet or
  // goes on to commit: the state before that write counts.

  // Holds the checkpoint that the environment was set back to.
  void hold(const LmdbCheckpoint& checkpoint);
  // Begins a checkpoint, which finish() makes durable, outside of the write if that is better.
  void begin();

  // Returns false if there was nothing new. Throws SyncFailed, and std::system_error if the slot could not be
  // written, after which it can be tried again from begin().
  bool finish();

  // The newest one on the disk.
  const LmdbCheckpoint& newest() const { return newest_; }
  const CheckpointFile& file() const { return file_; }

 private:
  void release(MDB_txn*& reader);

  const LmdbEnvironment& environment_;
  const CheckpointFile file_;
  const ReadContent read_content_;
  LmdbCheckpoint newest_;
  MDB_txn* held_ = nullptr;  // of the newest one
  std::vector<MDB_txn*>
      doubtful_;  // of checkpoints that failed while they were written: the disk may have them
  std::optional<LmdbCheckpoint> begun_;
  MDB_txn* begun_reader_ = nullptr;
};

// Makes a checkpoint of an environment that no other process has open, for programs that write one at once:
// begins and finishes it.
void make_checkpoint(const LmdbEnvironment& environment, Checkpoints& checkpoints);

}  // namespace pixledger::eventstore
