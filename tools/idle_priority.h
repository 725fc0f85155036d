#pragma once

#include <cstdint>
#include <filesystem>

namespace pixledger::tools {

// From here on this process takes what processor time and disk others leave. It is no fault when the system
// does not grant it.
void become_idle();

// Has the kernel write a growing file a little at a time, without waiting for it, so that the sync at its end
// has little left to do and nobody else's fsync stands in line behind all of it. For one thread.
class EarlyWriter {
 public:
  // Throws std::system_error when there is no such file.
  explicit EarlyWriter(const std::filesystem::path& file);
  ~EarlyWriter();
  EarlyWriter(const EarlyWriter&) = delete;
  EarlyWriter& operator=(const EarlyWriter&) = delete;

  // From time to time.
  void write();

 private:
  int descriptor_;
};

}  // namespace pixledger::tools
