#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The file MARKER of a generation. A killed process loses nothing that it wrote (the kernel has it); a
// machine that stopped may. So a database that was not closed is trusted only on the same boot and as the
// same files.
struct ViewMarker {
  bool clean = false;
  std::string boot_id;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  eventstore::LogIdentity identity;

  // What the marker of this directory would say now.
  static ViewMarker of(const std::filesystem::path& directory, const eventstore::LogIdentity& identity,
                       bool clean);
  // nullopt when there is none or it says nothing. Throws std::system_error when it cannot be read.
  static std::optional<ViewMarker> read(const std::filesystem::path& directory);
  // Durable on return.
  void write(const std::filesystem::path& directory) const;

  // Whether a database with this marker can be trusted by a process for which `now` is true.
  bool trusted_by(const ViewMarker& now) const;
};

}  // namespace pixledger::eventstore
