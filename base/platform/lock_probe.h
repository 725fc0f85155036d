#pragma once

#include <filesystem>

namespace pixledger {

// Whether some process holds the lock on a file (owner_lock.h, WriteGate) at the moment. Takes nothing and
// only needs to read the file; false where there is none.
bool is_locked(const std::filesystem::path& file);

}  // namespace pixledger
