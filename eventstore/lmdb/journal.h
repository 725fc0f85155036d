#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/descriptor.h"
#include "eventstore/lmdb/journal_record.h"

namespace pixledger::eventstore {

// The journal of a ledger: a record for each batch, in files of zeros that are made beforehand (segments). A
// commit is one write and one sync there, which change no metadata of the file system. Segments are used in
// the order of their numbers; each begins with a record that has the number 0 and the segment's size. A
// record is never split: if the rest of a segment is too small for it, it begins the next one.
//
// Callers of the functions under "writers" hold the ledger's write lock. The others are for the process that
// keeps the checkpoints. All throw std::system_error, which says that nothing has changed.
class Journal {
 public:
  static constexpr std::uint64_t kFirstSegmentBytes = 256 << 10;
  // Only a record that is larger has a larger segment.
  static constexpr std::uint64_t kSegmentBytesMax = 16 << 20;

  // Where the first record of a journal is.
  static constexpr JournalPlace kFirstPlace{1, record_bytes(8)};

  // A failed sync: what the disk has is unknown.
  class Uncertain : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // `directory`: of the journal alone.
  Journal(std::filesystem::path directory, LogIdentity ledger);

  // Makes an empty journal, durably, instead of any that is there.
  static void create(const std::filesystem::path& directory, const LogIdentity& ledger);

  // --- writers ---

  struct Room {
    JournalPlace at;
    JournalPlace after;  // where the next record goes
  };
  // Returns where a record of so many bytes goes if the next one would go to `next`. May begin a segment.
  Room make_room(const JournalPlace& next, std::uint64_t record_bytes);
  // Seals the record and writes it, durably. Throws Uncertain.
  void write(const Room& room, std::uint64_t number, std::string& record);
  // Removes a record whose batch was not committed, durably. Throws Uncertain.
  void remove(const Room& room);
  // Overwrites all that is before a place, durably: the newest checkpoint's.
  void erase_before(const JournalPlace& place);

  // --- the keeper of the checkpoints ---

  // Makes the segments before the newest checkpoint's place usable again, or removes them.
  void reuse_before(const JournalPlace& place);
  // Makes the next segment if the current one is filling. `since`: the newest checkpoint's place.
  void prepare(const JournalPlace& next, const JournalPlace& since);
  // For recovery, when no other process has the ledger open: overwrites all that is after the last record.
  void erase_after(const JournalPlace& next);

 private:
  struct Segment {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    std::unique_ptr<Descriptor> file;
  };

  std::filesystem::path path_of(std::uint64_t segment) const;
  std::filesystem::path spare() const { return directory_ / "spare"; }
  const Segment& open(std::uint64_t number);
  void begin_segment(std::uint64_t number, std::uint64_t size, std::uint64_t size_needed);

  const std::filesystem::path directory_;
  const LogIdentity ledger_;
  Segment current_;  // of this process's last write
};

// Reads the records after a place, for recovery and checks. All throw LogCorrupt, naming file and batch, if
// records are missing: after a record that is not whole there may be no whole one.
class JournalReader {
 public:
  // `number`: of the last batch before `place`.
  JournalReader(std::filesystem::path directory, LogIdentity ledger, JournalPlace place,
                std::uint64_t number);

  // Returns the next record, valid until the next call; nullopt at the end.
  std::optional<JournalRecord> next();
  // After the last record returned.
  const JournalPlace& place() const { return place_; }
  std::uint64_t number() const { return number_; }
  // At the end: there is a record that is not whole, of a commit that a loss of power or a kill interrupted.
  bool is_torn() const { return is_torn_; }
  // "journal/00000001 at byte 64 (batch 7)"
  std::string describe() const;

 private:
  void load(std::uint64_t segment);
  void check_end() const;
  void refuse_whole_after(std::uint64_t segment, std::string_view bytes, std::uint64_t from) const;
  [[noreturn]] void fail(const std::string& problem) const;

  const std::filesystem::path directory_;
  const LogIdentity ledger_;
  JournalPlace place_;
  std::uint64_t number_;
  std::string bytes_;  // of the segment
  bool is_torn_ = false;
};

// The numbers of a journal's segments, in order.
std::vector<std::uint64_t> journal_segments(const std::filesystem::path& directory);

}  // namespace pixledger::eventstore
