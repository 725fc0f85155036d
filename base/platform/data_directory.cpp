#include "base/platform/data_directory.h"

#include <iterator>
#include <system_error>

namespace pixledger {
namespace {

namespace fs = std::filesystem;

// In moving order.
constexpr const char* kParts[] = {"sharing", "keys", "workers", "accounts", "ledger"};

void sync_tree(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory()) sync_directory(entry.path());
  }
  sync_directory(directory);
}

}  // namespace

DirectoryInMaking::DirectoryInMaking(const DataDirectory& data, const char* mark)
    : data_(data), unfinished_{data.root / mark}, was_there_(fs::exists(data.root)) {
  create_durably(fs::absolute(data.root));
  lock_ = std::make_unique<DirectoryLock>(data.root);
}

void DirectoryInMaking::begin() {
  remove_all();
  begun_ = true;
  fs::create_directory(unfinished_.root);
}

DirectoryInMaking::~DirectoryInMaking() {
  std::error_code ignored;
  try {
    if (begun_) remove_all();
  } catch (const std::exception&) {
    // The next run removes it.
  }
  if (!was_there_) fs::remove(data_.root, ignored);  // if it is empty
}

// Removes the ledger first: without it there is no data directory. Removes the mark last, because it
// identifies the rest as unfinished.
void DirectoryInMaking::remove_all() {
  if (!fs::exists(unfinished_.root)) return;
  for (auto part = std::rbegin(kParts); part != std::rend(kParts); ++part) {
    if (fs::exists(unfinished_.root / *part) || !fs::exists(data_.root / *part)) continue;
    fs::remove_all(data_.root / *part);
  }
  fs::remove_all(unfinished_.root);
}

void DirectoryInMaking::commit() {
  sync_tree(unfinished_.root);
  for (const char* part : kParts) {
    if (!fs::exists(unfinished_.root / part)) continue;
    fs::rename(unfinished_.root / part, data_.root / part);
    sync_directory(data_.root);
  }
  begun_ = false;
  fs::remove_all(unfinished_.root);
  sync_directory(data_.root);
}

// The ledger is moved last.
bool DirectoryInMaking::was_interrupted(const fs::path& root, const char* mark) {
  return fs::exists(root / mark) && !fs::exists(root / "ledger");
}

}  // namespace pixledger
