#include "eventstore/backup/restored_directory.h"

#include <system_error>

#include "eventstore/backup/backup_error.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = "restoring";
// In the order in which they are moved.
constexpr const char* kParts[] = {"keys", "workers", "ledger"};

bool holds_unfinished(const fs::path& root) { return fs::exists(root / kUnfinished); }

void refuse_unless_empty(const fs::path& root) {
  if (is_unfinished_restore(root)) return;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().filename() == "lost+found") continue;  // of a file system's own root
    throw BackupRefused(root.string() + " is not empty: restore into a directory that is, or into a new one");
  }
}

void sync_tree(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory()) sync_directory(entry.path());
  }
  sync_directory(directory);
}

}  // namespace

RestoredDirectory::RestoredDirectory(const DataDirectory& data)
    : data_(data), unfinished_{data.root / kUnfinished}, was_there_(fs::exists(data.root)) {
  create_durably(fs::absolute(data.root));
  lock_ = std::make_unique<DirectoryLock>(data.root);
  refuse_unless_empty(data.root);
  remove_all();
  fs::create_directory(unfinished_.root);
}

RestoredDirectory::~RestoredDirectory() {
  if (committed_) return;
  std::error_code ignored;
  try {
    remove_all();
  } catch (const std::exception&) {
    // The next restore removes it.
  }
  if (!was_there_) fs::remove(data_.root, ignored);
}

// The mark of an unfinished restore last: while it is there, the rest is known to be a restore's.
void RestoredDirectory::remove_all() {
  if (!holds_unfinished(data_.root)) return;
  for (const char* part : kParts) {
    if (fs::exists(unfinished_.root / part) || !fs::exists(data_.root / part)) continue;
    fs::remove_all(data_.root / part);
  }
  fs::remove_all(unfinished_.root);
}

void RestoredDirectory::commit() {
  sync_tree(unfinished_.root);
  for (const char* part : kParts) {
    if (!fs::exists(unfinished_.root / part)) continue;
    fs::rename(unfinished_.root / part, data_.root / part);
    sync_directory(data_.root);
  }
  committed_ = true;
  fs::remove_all(unfinished_.root);
  sync_directory(data_.root);
}

// The ledger is moved last.
bool is_unfinished_restore(const fs::path& root) {
  return holds_unfinished(root) && !fs::exists(root / "ledger");
}

void refuse_unfinished_restore(const fs::path& root) {
  if (!is_unfinished_restore(root)) return;
  throw std::runtime_error("a restore into " + root.string() +
                           " was interrupted: run it again, or remove that directory");
}

}  // namespace pixledger::eventstore
