#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "eventstore/backup/backup_file.h"
#include "eventstore/log/log.h"
#include "eventstore/tree/merkle.h"

// A file of events that follow one another, as docs/BACKUP_FORMAT.md has it.
namespace pixledger::eventstore {

// What a manifest keeps of a file of events.
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

// An event in a segment whose hashes are right.
struct SegmentEvent {
  Position position;
  std::string_view leaf;      // the value of `events`: envelope and digest of the personal bytes
  std::string_view personal;  // empty: none, or erased
  Digest leaf_hash;
};

// Hands out all events, in order, and carries `tree` on from the event before the first. What is handed out
// is valid during the call. Throws BackupRefused that names file and position of the first byte that is not
// what was written; all that was handed out before is.
void read_segment(const std::filesystem::path& directory, const Segment& segment, Frontier& tree,
                  const std::function<void(const SegmentEvent&)>& visit);

}  // namespace pixledger::eventstore
