#pragma once

#include <cstdint>
#include <filesystem>

namespace pixledger::tools {

// Has a growing file written to the disk a piece at a time, so that the sync at its end has little left to do
// and nobody else's fsync stands in line behind more than a piece of it, unless the kernel writes by itself.
// For one thread.
class EarlyWriter {
 public:
  // Throws std::system_error when there is no such file.
  explicit EarlyWriter(const std::filesystem::path& file);
  ~EarlyWriter();
  EarlyWriter(const EarlyWriter&) = delete;
  EarlyWriter& operator=(const EarlyWriter&) = delete;

  // All that is not written yet. Pauses after each piece for as long as that piece took: half of the disk's
  // time is left to others.
  void write();

 private:
  int descriptor_;
};

}  // namespace pixledger::tools
