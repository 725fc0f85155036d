#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/platform/durable_files.h"

namespace pixledger {

// The paths inside one data directory.
struct DataDirectory {
  std::filesystem::path root;
  // Expected content of `node` if the directory was opened as that node; empty: use the file's content.
  std::string node_asked{};

  std::filesystem::path ledger() const { return root / "ledger"; }
  std::filesystem::path keys() const { return root / "keys"; }
  std::filesystem::path views() const { return root / "views"; }
  // Has one directory per worker.
  std::filesystem::path workers() const { return root / "workers"; }
  std::filesystem::path worker(std::string_view name) const { return workers() / name; }
  // Users, credentials and sign-ins (stores/accounts).
  std::filesystem::path accounts() const { return root / "accounts"; }
  // E-mails as files, written when no mail server is configured.
  std::filesystem::path outbox() const { return root / "outbox"; }
  // The day on which each API key was last used (key_uses.h).
  std::filesystem::path key_uses() const { return root / "key-uses"; }
  // Locked while a customer's personal data is being erased.
  std::filesystem::path erasing_lock() const { return root / "erasing"; }
  // The shared ledger of which this is a node (eventstore/postgres/node_file.h).
  std::filesystem::path node() const { return root / "node"; }
  // Marks a ledger that is being or was moved into a database (eventstore/postgres/share_mark.h).
  std::filesystem::path sharing() const { return root / "sharing"; }
  // On a node: the boot during which its copy is trusted.
  std::filesystem::path copy_boot() const { return root / "ledger.boot"; }
  // On a node: locks held by all processes that have its copy open, and by the one that fetches it
  // (postgres/node_copy.h).
  std::filesystem::path copy_users_lock() const { return root / "ledger.users.lock"; }
  std::filesystem::path copy_fetching_lock() const { return root / "ledger.fetching.lock"; }
  // The results of the last backup and the last verification (operations_record.h).
  std::filesystem::path operations() const { return root / "operations.json"; }
  // The traces of the requests that caused the last days' events (stores/traces).
  std::filesystem::path traces() const { return root / "traces.sqlite"; }
};

// Creates a data directory atomically. Everything is made in a subdirectory (the mark) and moved into place
// at the end, the ledger last: a directory without a ledger is no data directory. Thus the data directory may
// be a mount point. Excludes other creators meanwhile.
class DirectoryInMaking {
 public:
  // Creates the directory if missing, and blocks until no other process creates anything in it.
  DirectoryInMaking(const DataDirectory& data, const char* mark);
  // Removes what was made, unless committed.
  ~DirectoryInMaking();
  DirectoryInMaking(const DirectoryInMaking&) = delete;
  DirectoryInMaking& operator=(const DirectoryInMaking&) = delete;

  // Removes what a killed run with this mark left.
  void begin();

  // Paths for creating ledger, keys, workers, accounts and `sharing`; all are optional.
  const DataDirectory& unfinished() const { return unfinished_; }

  // Durable on return.
  void commit();

  // Whether a run with this mark was killed there, so that its remains are no data directory.
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
