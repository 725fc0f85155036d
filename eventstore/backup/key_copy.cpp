#include "eventstore/backup/key_copy.h"

#include "eventstore/keys/aes_gcm.h"
#include "eventstore/keys/key_directory.h"

namespace pixledger::eventstore {

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
