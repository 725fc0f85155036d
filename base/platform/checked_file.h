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

// A file of blocks, each with the SHA-256 of the digest before it, its size and its bytes. A block is
// checked before anything in it is looked at, and the last one is empty, so what is cut short, swapped or
// flipped is found. Numbers are in the byte order of the machine: these files are not carried to another
// one.

namespace pixledger {

// Writes beside `file` and takes its place at the end; gives up without a trace when it goes before that.
// Everything throws std::system_error.
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
  // With its size before it.
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

// What a reader throws at anything that a writer did not write.
class DamagedFile : public std::runtime_error {
 public:
  DamagedFile() : std::runtime_error("the file is damaged") {}
};

class CheckedFileReader {
 public:
  // Throws std::system_error when the file cannot be opened.
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
  // Throws DamagedFile unless the file can still hold as many values of `size` bytes: nothing is allocated
  // on the word of a damaged count.
  void expect(std::uint64_t count, std::size_t size) const;
  // Throws DamagedFile unless everything was read.
  void finish();

 private:
  void next_block();
  void read_all(void* data, std::size_t size);

  Descriptor in_;
  std::uint64_t unread_bytes_;  // Of the file.
  std::string block_;
  std::size_t at_ = 0;
  Digest digest_{};
};

}  // namespace pixledger
