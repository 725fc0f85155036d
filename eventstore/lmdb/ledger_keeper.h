#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/platform/periodic.h"
#include "eventstore/lmdb/checkpoints.h"
#include "eventstore/lmdb/journal.h"
#include "eventstore/lmdb/write_gate.h"

namespace pixledger::eventstore {

// Prints the reason and ends the process with code 3: the disk's content is unknown, and a second attempt
// could succeed falsely.
[[noreturn]] void end_undurable(const std::string& reason);

// Sees to it that a ledger with a journal always has a process that keeps its checkpoints. Of the processes
// that have it open, the one in the office makes a checkpoint each second, after 16 MiB of journal, and soon
// after each commit that is no batch. When it has ended, the next writer takes the office over.
//
// Thread-safe. All that it is given outlives it.
class LedgerKeeper {
 public:
  LedgerKeeper(const LmdbEnvironment& environment, const WriteGate& gate, KeeperOffice& office,
               Journal& journal, const LogIdentity& ledger, Checkpoints::ReadContent read_content);
  // Makes a last checkpoint if it is in the office, and leaves it.
  ~LedgerKeeper();
  LedgerKeeper(const LedgerKeeper&) = delete;
  LedgerKeeper& operator=(const LedgerKeeper&) = delete;

  // Takes the office when no other process has the ledger open. Holds the checkpoint that the ledger was set
  // back to, or makes the first one.
  void begin(const LmdbCheckpoint& checkpoint);
  // To be called inside each exclusive write before it changes anything, and before it commits: takes the
  // office over if no process has it. Throws LogUnavailable if that fails.
  void ensure();

  // Returns when a checkpoint has the commit with LMDB's number `transaction`. Must be called outside of
  // writes, and without the gate. Throws LogUnavailable.
  void make_durable(std::uint64_t transaction);
  // A record was written.
  void note_written(const Journal::Room& room);
  // The newest checkpoint on the disk, of whichever process.
  LmdbCheckpoint newest() const { return file_.newest_durable(); }

 private:
  void take_over();
  void start();
  void make();
  // These three with `making_` locked.
  bool is_in_office();
  void make_in_office();
  void keep();
  Periodic::Wait tick();

  const LmdbEnvironment& environment_;
  const WriteGate& gate_;
  KeeperOffice& office_;
  Journal& journal_;
  const LogIdentity ledger_;
  const Checkpoints::ReadContent read_content_;
  const CheckpointFile file_;
  std::atomic<std::uint64_t> written_bytes_{0};  // since the newest checkpoint, by this process
  // Locked before the write lock. A writer locks it only to take the office over, when no other thread here
  // has it for long.
  std::mutex making_;
  std::optional<Checkpoints> checkpoints_;  // in the office
  std::chrono::steady_clock::time_point made_at_{};
  std::unique_ptr<Periodic> thread_;
};

}  // namespace pixledger::eventstore
