#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/platform/data_directory.h"
#include "eventstore/platform/durable_files.h"

namespace pixledger::eventstore {

// A data directory while a restore makes it: all or nothing. Everything is made below DATA/restoring, and
// moved into place at the end, the ledger last, since a directory without a ledger is no data directory. The
// data directory itself may thus be a file system of its own. Nobody else makes a ledger there meanwhile.
class RestoredDirectory {
 public:
  // Throws BackupRefused when the directory is there and not empty; what a restore that was killed left in it
  // does not count, and is removed.
  explicit RestoredDirectory(const DataDirectory& data);
  // Removes what was made, unless committed.
  ~RestoredDirectory();
  RestoredDirectory(const RestoredDirectory&) = delete;
  RestoredDirectory& operator=(const RestoredDirectory&) = delete;

  // Where ledger, keys and workers are made; they need not all be.
  const DataDirectory& unfinished() const { return unfinished_; }

  // Durable on return.
  void commit();

 private:
  void remove_all();

  DataDirectory data_;
  DataDirectory unfinished_;
  bool was_there_;
  std::unique_ptr<DirectoryLock> lock_;
  bool committed_ = false;
};

// Whether a restore was killed there: what it left is no data directory.
bool is_unfinished_restore(const std::filesystem::path& root);
// Throws std::runtime_error when one was.
void refuse_unfinished_restore(const std::filesystem::path& root);

}  // namespace pixledger::eventstore
