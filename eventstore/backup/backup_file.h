#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/platform/sha256_stream.h"

// The files of a backup: written once and read once, from front to end, and hashed on the way. They stay out
// of the page cache, where they would push the running ledger's pages out. Errors of the system are
// std::system_error.
namespace pixledger::eventstore {

// What a manifest keeps of a file.
struct FileFacts {
  std::uint64_t bytes = 0;
  Digest digest{};
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

class BackupFileWriter {
 public:
  // Replaces a file that a killed backup left.
  explicit BackupFileWriter(const std::filesystem::path& path);
  ~BackupFileWriter();
  BackupFileWriter(const BackupFileWriter&) = delete;
  BackupFileWriter& operator=(const BackupFileWriter&) = delete;

  void write(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }
  // Durable on return. To be called once, last.
  FileFacts finish();

 private:
  void flush();

  std::filesystem::path path_;
  int descriptor_;
  std::string buffer_;
  Sha256Stream hash_;
  std::uint64_t bytes_ = 0;
  std::uint64_t unsynced_ = 0;
};

class BackupFileReader {
 public:
  // Throws BackupRefused when there is no such file.
  explicit BackupFileReader(const std::filesystem::path& path);
  ~BackupFileReader();
  BackupFileReader(const BackupFileReader&) = delete;
  BackupFileReader& operator=(const BackupFileReader&) = delete;

  // Not handed out yet.
  std::uint64_t left() const { return size_ - handed_out_; }
  // The next bytes, valid until the next call; empty when fewer are left.
  std::string_view next(std::size_t bytes);
  // Of the whole file, wherever reading has come to. To be called once, last.
  FileFacts finish();

 private:
  bool fill();

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t handed_out_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is in the buffer and was not handed out
  Sha256Stream hash_;
  std::uint64_t hashed_ = 0;
};

// Durable on return; of the file that was there already.
FileFacts facts_of_file(const std::filesystem::path& path);
// The copy is durable on return.
FileFacts copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pixledger::eventstore
