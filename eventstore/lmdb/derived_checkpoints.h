#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/platform/periodic.h"
#include "eventstore/lmdb/checkpoints.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_log_recovery.h"

// Checkpoints of databases that are made of the ledger, and that one process writes, their owner. LMDB syncs
// nothing. After a kill or a loss of power the owner goes back to the newest checkpoint, at most some seconds
// old, and takes the ledger's later events again.
namespace pixledger::eventstore {

// Whether a database may be read as it is: it has a checkpoint of this ledger, and a process has it open or
// its owner has closed it. nullopt: of any ledger. Opens and changes nothing.
bool is_derived_readable(const std::filesystem::path& directory, const std::optional<LogIdentity>& ledger);

// Begins the owner's opening, and goes back to the checkpoint unless another process reads the database: then
// the machine has been running since it was written. Keep the result until there are DerivedCheckpoints, and
// open the environment with its options. Null if there is no checkpoint of this ledger: the database must be
// made anew.
std::unique_ptr<LmdbOpening> begin_derived_opening(const std::filesystem::path& directory,
                                                   const LogIdentity& ledger, const LmdbOptions& options);

// Removes the owner's database, so that an interruption leaves nothing that counts.
void remove_derived(const std::filesystem::path& directory, const LogIdentity& ledger);

// Makes a checkpoint at once, and then each second if there was a commit. Failed ones are repeated; but if a
// sync failed, there is no checkpoint any more, and the next start makes the database anew. Owns a thread.
// Thread-safe. The environment must outlive it.
class DerivedCheckpoints {
 public:
  // Throws std::system_error and LmdbError.
  DerivedCheckpoints(const LmdbEnvironment& environment, const LogIdentity& ledger);

  // Makes one now: what was committed before the call is durable on return. Throws like the constructor.
  void make();

 private:
  const LmdbEnvironment& environment_;
  std::mutex mutex_;
  std::optional<Checkpoints> checkpoints_;  // nullopt: a sync failed, so later ones prove nothing
  Periodic thread_;
};

}  // namespace pixledger::eventstore
