#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/platform/durable_files.h"

namespace pixledger {

// Where everything is in one data directory.
struct DataDirectory {
  std::filesystem::path root;
  // What `node` is to hold from when the directory has been opened as that node; empty: what it holds.
  std::string node_asked{};

  std::filesystem::path ledger() const { return root / "ledger"; }
  std::filesystem::path keys() const { return root / "keys"; }
  std::filesystem::path views() const { return root / "views"; }
  // With a directory for each.
  std::filesystem::path workers() const { return root / "workers"; }
  std::filesystem::path worker(std::string_view name) const { return workers() / name; }
  // Who may sign in, with what, and who has (stores/accounts).
  std::filesystem::path accounts() const { return root / "accounts"; }
  // E-mails that no server was given, as files.
  std::filesystem::path outbox() const { return root / "outbox"; }
  // On which day each API key was last used (key_uses.h).
  std::filesystem::path key_uses() const { return root / "key-uses"; }
  // Held while somebody removes a customer's personal data.
  std::filesystem::path erasing_lock() const { return root / "erasing"; }
  // Of which shared ledger this is a node (eventstore/postgres/node_file.h).
  std::filesystem::path node() const { return root / "node"; }
  // That the ledger is on its way into a database, or is there already (eventstore/postgres/share_mark.h).
  std::filesystem::path sharing() const { return root / "sharing"; }
  // Of a node: that its copy is to be trusted, and during which run of the machine.
  std::filesystem::path copy_boot() const { return root / "ledger.boot"; }
  // Of a node, held by all that have its copy open, and by who fetches that (postgres/node_copy.h).
  std::filesystem::path copy_users_lock() const { return root / "ledger.users.lock"; }
  std::filesystem::path copy_fetching_lock() const { return root / "ledger.fetching.lock"; }
  // What the last backup and the last verification came to (operations_record.h).
  std::filesystem::path operations() const { return root / "operations.json"; }
};

// A data directory while somebody makes it: all or nothing. Everything is made below a directory in it (its
// mark), and moved into place at the end, the ledger last, since a directory without a ledger is no data
// directory. The data directory itself may thus be a file system of its own. Nobody else makes one there
// meanwhile.
class DirectoryInMaking {
 public:
  // Makes the directory if it is missing, and waits until nobody else makes anything in it.
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
