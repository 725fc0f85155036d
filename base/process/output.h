#pragma once

#include <array>
#include <stdexcept>
#include <streambuf>
#include <string_view>
#include <sys/types.h>

// What a command prints on stdout.
namespace pixledger {

// Nobody reads stdout any more, as when `head` has seen enough: a reason to end, but no fault.
class ReaderGone : public std::runtime_error {
 public:
  ReaderGone() : std::runtime_error("nobody reads the output any more") {}
};

// Replaces the buffer of std::cout for its lifetime, and keeps the error code of a failed write. One for a
// process.
class StandardOutput final : public std::streambuf {
 public:
  StandardOutput();
  ~StandardOutput() override;

  // 0 if every write has succeeded so far.
  int error() const { return error_; }
  // Truncates stdout to its length before this process wrote, if it is a file: half a table must not look
  // like a whole one. Returns false if it cannot.
  bool take_back() const;

 private:
  int overflow(int next) override;
  int sync() override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  void begin_buffer();
  void write(std::string_view left);

  std::array<char, std::size_t{1} << 16> bytes_;
  std::streambuf* const before_;
  const off_t begin_;  // where this process began to write; -1: no file
  const bool is_terminal_;
  int error_ = 0;
};

// Opens /dev/null in the place of standard descriptors that are closed, so that no file of this process takes
// their numbers and gets what is printed. What is printed to a closed stdout is refused, and not lost unseen.
void hold_standard_descriptors();

// A pipe whose reader has gone is only noticed when it is written to, or asked about.
bool somebody_reads_output();

// Throws ReaderGone, or std::runtime_error when the output could not be written for another reason.
void flush_output();

}  // namespace pixledger
