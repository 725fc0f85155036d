#pragma once

#include <filesystem>
#include <memory>

#include "base/platform/data_directory.h"
#include "base/platform/durable_files.h"

namespace pixledger {

// A data directory while somebody makes it: all or nothing. Everything is made below a directory in it (its
// mark), and moved into place at the end, the ledger last, since a directory without a ledger is no data
// directory. The data directory itself may thus be a file system of its own. Nobody else makes one there
// meanwhile.
class DirectoryInMaking {
 public:
  // Makes the directory where there is none, and waits until nobody else makes anything in it.
  DirectoryInMaking(const DataDirectory& data, const char* mark);
  // Removes what was made, unless committed.
  ~DirectoryInMaking();
  DirectoryInMaking(const DirectoryInMaking&) = delete;
  DirectoryInMaking& operator=(const DirectoryInMaking&) = delete;

  // What an earlier making with this mark left when it was killed does not count, and is removed.
  void begin();

  // Where ledger, keys, workers, accounts and `sharing` are made; they need not all be.
  const DataDirectory& unfinished() const { return unfinished_; }

  // Durable on return.
  void commit();

  // Whether a making with this mark was killed there: what it left is no data directory.
  static bool was_interrupted(const std::filesystem::path& root, const char* mark);

 private:
  void remove_all();

  DataDirectory data_;
  DataDirectory unfinished_;
  bool was_there_;
  std::unique_ptr<DirectoryLock> lock_;
  bool begun_ = false;
};

}  // namespace pixledger
