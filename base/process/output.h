#pragma once

#include <array>
#include <stdexcept>
#include <streambuf>
#include <string_view>
#include <sys/types.h>

// A command's output on stdout.
namespace pixledger {

// The reader of stdout is gone, as when `head` ends: a reason to stop, but no fault.
class ReaderGone : public std::runtime_error {
 public:
  ReaderGone() : std::runtime_error("nobody reads the output any more") {}
};

// Replaces the buffer of std::cout for its lifetime, and keeps the error code of a failed write. At most one
// per process.
class StandardOutput final : public std::streambuf {
 public:
  StandardOutput();
  ~StandardOutput() override;

  // 0 if every write has succeeded so far.
  int error() const { return error_; }
  // Truncates a stdout file to its length before this process wrote, so a partial table never looks complete.
  // Returns false if that fails.
  bool take_back() const;

 private:
  int overflow(int next) override;
  int sync() override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  void begin_buffer();
  void write(std::string_view left);

  std::array<char, std::size_t{1} << 16> bytes_;
  std::streambuf* const before_;
  const off_t begin_;  // offset where this process began to write; -1: no file
  const bool is_terminal_;
  int error_ = 0;
};

// Opens /dev/null for closed standard descriptors, so that no other file gets their numbers and the output.
// Writing to a closed stdout then fails instead of being lost.
void hold_standard_descriptors();

// Whether stdout's reader still exists. A write or this poll is the only way to notice a closed pipe.
bool somebody_reads_output();

// Throws ReaderGone, or std::runtime_error if writing failed for another reason.
void flush_output();

}  // namespace pixledger
