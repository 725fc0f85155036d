#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/platform/descriptor.h"

namespace pixledger::tools {

// Has a growing file written to the disk a piece at a time, on a thread of its own, so that the sync at its
// end has little left to do and nobody else's fsync stands in line behind more than a piece of it, unless the
// kernel writes by itself. Pauses after each piece for as long as that piece took: half of the disk's time is
// left to others. For one thread.
class EarlyWriter {
 public:
  // Throws std::system_error when there is no such file.
  explicit EarlyWriter(const std::filesystem::path& file);
  // Leaves what is not written yet to others.
  ~EarlyWriter();
  EarlyWriter(const EarlyWriter&) = delete;
  EarlyWriter& operator=(const EarlyWriter&) = delete;

  // All that is not written yet, from now on.
  void begin();
  // All that is not written yet; returns when that is done.
  void finish();

 private:
  void run();
  void write();
  bool is_stopping() const;

  const Descriptor descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;  // for so many passes over the file
  std::uint64_t done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::tools
