#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The file MARKER of a generation. A killed process loses nothing that it wrote, since the kernel has it; a
// stopped machine may. So a database that was not closed is trusted only during the same boot and as the same
// files.
struct ViewMarker {
  bool clean = false;
  std::string boot_id;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  eventstore::LogIdentity identity;

  // Returns the marker that this directory would have now.
  static ViewMarker of(const std::filesystem::path& directory, const eventstore::LogIdentity& identity,
                       bool clean);
  // Returns nullopt if it is missing or invalid. Throws std::system_error if it cannot be read.
  static std::optional<ViewMarker> read(const std::filesystem::path& directory);
  // Durable on return.
  void write(const std::filesystem::path& directory) const;

  // Whether a database with this marker can be trusted now, when its marker would be `now`.
  bool trusted_by(const ViewMarker& now) const;
};

}  // namespace pixledger::eventstore
