#pragma once

#include <filesystem>

namespace pixledger::eventstore {

// Whether a write to the file system of `path` that ended early did so for want of space: next to none is
// left for this process. LMDB reports such a write as an I/O error. False when the system does not tell.
bool is_disk_full(const std::filesystem::path& path);

}  // namespace pixledger::eventstore
