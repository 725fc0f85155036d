#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/power_loss/record_format.h"

namespace pixledger::tests {

// One record; a synced write is a write followed by a kSyncRange. Views are valid while the recording lives.
struct Record {
  std::uint32_t kind = 0;
  std::uint64_t place = 0;  // in the recording; grows
  std::string_view path{};
  std::string_view to{};  // of a rename or link
  std::string_view data{};
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;  // or, of a sync, `since`
  std::uint64_t length = 0;
};
// Only this range of the inode is durable from now on: offset, length.
inline constexpr std::uint32_t kSyncRange = 100;

// The remark after what was there before any program: see Recording::add_directory().
inline constexpr const char* kBegins = "programs begin";

// The file that recorder.c fills while programs run, mapped into the test.
class Recording {
 public:
  static constexpr std::uint64_t kBytesMax = std::uint64_t{2} << 30;  // of a sparse file

  // Creates it. `ignored`: see record_format.h.
  Recording(std::filesystem::path file, std::filesystem::path recorded, unsigned ignored);
  // Opens one that was kept.
  explicit Recording(std::filesystem::path file);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The environment of a recorded process: NAME=VALUE.
  std::vector<std::string> environment() const;
  // Appends a remark at this moment.
  void mark(const std::string& text);
  // Appends what the recorded directory holds, all of it durable, and the remark kBegins. Call it before any
  // program runs.
  void add_directory();
  // Appends what another recording has of something that was told or remarked.
  void repeat(const Record& record);
  // Throws std::runtime_error if a process did what the recorder does not see.
  std::vector<Record> records() const;
  // Writes all records so far into a file of their size.
  void keep_in(const std::filesystem::path& file) const;

 private:
  void map(bool is_new);
  void append(RecordHead head, const std::string& path, const std::string& data);
  char* begin() const { return reinterpret_cast<char*>(head_); }

  std::filesystem::path file_;
  std::filesystem::path recorded_;
  std::uint64_t bytes_ = kBytesMax;
  RecordingHead* head_ = nullptr;
};

}  // namespace pixledger::tests
