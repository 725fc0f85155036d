#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/platform/descriptor.h"

namespace pixledger::tools {

// Writes a growing file to disk piece by piece, on a separate thread. So the final sync has little left to
// do, and other fsyncs wait for one piece at most, unless the kernel writes by itself. Pauses after each
// piece for as long as it took, which leaves half of the disk's time to others. For one thread.
class EarlyWriter {
 public:
  // Throws std::system_error if the file does not exist.
  explicit EarlyWriter(const std::filesystem::path& file);
  // Leaves unwritten data to the kernel.
  ~EarlyWriter();
  EarlyWriter(const EarlyWriter&) = delete;
  EarlyWriter& operator=(const EarlyWriter&) = delete;

  // Starts writing all data not written yet.
  void begin();
  // Writes all data not written yet; blocks until done.
  void finish();

 private:
  void run();
  void write();
  bool is_stopping() const;

  const Descriptor descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;  // requested passes over the file
  std::uint64_t done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::tools
