#include "eventstore/backup/restored_directory.h"

#include "eventstore/backup/backup_error.h"
#include "eventstore/keys/aes_gcm.h"
#include "eventstore/keys/keyring_file.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "restoring";

void refuse_unless_empty(const fs::path& root) {
  if (is_unfinished_restore(root)) return;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().filename() == "lost+found") continue;  // made by the file system at its root
    throw BackupRefused(root.string() + " is not empty: restore into a directory that is, or into a new one");
  }
}

}  // namespace

std::unique_ptr<DirectoryInMaking> begin_restore(const DataDirectory& data) {
  auto making = std::make_unique<DirectoryInMaking>(data, kMark);
  refuse_unless_empty(data.root);
  making->begin();
  return making;
}

bool is_unfinished_restore(const fs::path& root) { return DirectoryInMaking::was_interrupted(root, kMark); }

void refuse_unfinished_restore(const fs::path& root) {
  if (!is_unfinished_restore(root)) return;
  throw std::runtime_error("a restore into " + root.string() +
                           " was interrupted: run it again, or remove that directory");
}

std::vector<std::string> copy_keys(const std::filesystem::path& from, const std::filesystem::path& to) {
  const KeyDirectory source(from, KeyDirectory::Access::kRead);
  KeyDirectory::make(to);
  KeyDirectory copy(to, KeyDirectory::Access::kChange);
  std::vector<std::string> names;
  for (const char* name : {kMasterFile, kNextMasterFile, kKeyringFile}) {
    auto bytes = source.read(name);
    if (!bytes) continue;
    copy.write(name, *bytes);
    wipe(*bytes);
    names.emplace_back(name);
  }
  return names;
}

}  // namespace pixledger::eventstore
