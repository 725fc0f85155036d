#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/platform/descriptor.h"
#include "base/platform/sha256.h"
#include "eventstore/log/log.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// The files of a backup: written once and read once, from front to end, and hashed on the way. They bypass
// the page cache, where they would displace the running ledger's pages. Errors of the system are
// std::system_error.

// What a manifest records of a file.
struct FileFacts {
  std::uint64_t bytes = 0;
  Digest digest{};
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

class BackupFileWriter {
 public:
  // Replaces the file of a killed backup.
  explicit BackupFileWriter(const std::filesystem::path& path);
  ~BackupFileWriter();

  void write(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }
  // Durable on return. To be called once, last.
  FileFacts finish();

 private:
  void flush();

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::string buffer_;
  Sha256Stream hash_;
  std::uint64_t bytes_ = 0;
  std::uint64_t unsynced_ = 0;
};

class BackupFileReader {
 public:
  // Throws BackupRefused if there is no such file.
  explicit BackupFileReader(const std::filesystem::path& path);
  ~BackupFileReader();

  // Bytes that next() has not returned yet.
  std::uint64_t left() const { return size_ - handed_out_; }
  // Returns the next bytes, valid until the next call; empty if fewer are left.
  std::string_view next(std::size_t bytes);
  // Returns the facts of the whole file, even if not all was read. To be called once, last.
  FileFacts finish();

 private:
  bool fill();

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t handed_out_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the bytes in the buffer that were not returned yet
  Sha256Stream hash_;
  std::uint64_t hashed_ = 0;
};

// Syncs an existing file, which is durable on return.
FileFacts facts_of_file(const std::filesystem::path& path);
// The copy is durable on return.
FileFacts copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

// A file of consecutive events, in the format of docs/reference/backup-format.md.

// What a manifest records of a file of events.
struct Segment {
  std::string file;  // its path in the backup's directory
  Position first, last;
  FileFacts facts;
  Digest root{};  // of the tree up to `last`
};

class SegmentWriter {
 public:
  SegmentWriter(const std::filesystem::path& path, Position first);

  // The event that follows the last one.
  void add(const StoredEvent& event, const Digest& leaf);
  std::uint64_t bytes() const { return file_.bytes(); }
  // Durable on return.
  FileFacts finish() { return file_.finish(); }

 private:
  BackupFileWriter file_;
};

// An event of a segment; its hashes were checked.
struct SegmentEvent {
  Position position;
  std::string_view leaf;      // the value of `events`: envelope and digest of the personal bytes
  std::string_view personal;  // empty: none, or erased
  Digest leaf_hash;
};

// Returns the next bytes, valid until the next call; empty if fewer are left.
using TakeBytes = std::function<std::string_view(std::size_t bytes)>;

// Writes an event as files of events have it, part by part.
void write_event(const StoredEvent& event, const Digest& leaf,
                 const std::function<void(std::string_view)>& write);
// Reads the next event, which must have this position. Throws BackupRefused, naming `path`, if it is not as
// it was written.
SegmentEvent read_event(const std::filesystem::path& path, Position position, const TakeBytes& take);

// Visits all events, in order, and extends `tree` from the event before the first. Events are valid during
// the call. Throws BackupRefused, naming file and position of the first wrong byte; all events visited before
// are as written.
void read_segment(const std::filesystem::path& directory, const Segment& segment, Frontier& tree,
                  const std::function<void(const SegmentEvent&)>& visit);

}  // namespace pixledger::eventstore
