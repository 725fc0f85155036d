#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/platform/descriptor.h"
#include "base/platform/sha256.h"

// A file of blocks. Each has the SHA-256 of the previous digest, its size and its bytes. Readers verify a
// block before using it, and the last block is empty, so truncation, reordering and bit flips are detected.
// Numbers are in native byte order: the files are not portable.

namespace pixledger {

// Writes a temporary file beside `file` and replaces `file` in finish(); destroyed earlier, it removes the
// temporary file. All members throw std::system_error.
class CheckedFileWriter {
 public:
  explicit CheckedFileWriter(std::filesystem::path file);
  ~CheckedFileWriter();
  CheckedFileWriter(const CheckedFileWriter&) = delete;
  CheckedFileWriter& operator=(const CheckedFileWriter&) = delete;

  void bytes(const void* data, std::size_t size);
  template <class T>
  void value(T number) {
    static_assert(std::is_arithmetic_v<T>);
    bytes(&number, sizeof number);
  }
  template <class T>
  void array(std::span<const T> values) {
    bytes(values.data(), values.size_bytes());
  }
  // Prefixed with its size.
  void text(std::string_view text);

  // Durable on return.
  void finish();

 private:
  void end_block();
  void write_all(const void* data, std::size_t size);

  std::filesystem::path file_;
  std::filesystem::path temporary_;
  Descriptor out_;
  std::string block_;
  Digest digest_{};
  bool finished_ = false;
};

// Thrown by readers for any content that no writer wrote.
class DamagedFile : public std::runtime_error {
 public:
  DamagedFile() : std::runtime_error("the file is damaged") {}
};

class CheckedFileReader {
 public:
  // Throws std::system_error if the file cannot be opened.
  explicit CheckedFileReader(const std::filesystem::path& file);

  void bytes(void* data, std::size_t size);
  template <class T>
  T value() {
    static_assert(std::is_arithmetic_v<T>);
    T number{};
    bytes(&number, sizeof number);
    return number;
  }
  std::string text();
  // Throws DamagedFile unless the rest of the file can hold `count` values of `size` bytes. Call it before
  // allocating for a count, which may be damaged.
  void expect(std::uint64_t count, std::size_t size) const;
  // Throws DamagedFile unless everything was read.
  void finish();

 private:
  void next_block();
  void read_all(void* data, std::size_t size);

  Descriptor in_;
  std::uint64_t unread_bytes_;  // of the file
  std::string block_;
  std::size_t at_ = 0;
  Digest digest_{};
};

}  // namespace pixledger
