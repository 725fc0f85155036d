#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/log.h"

// A log's raw contents, for checks and copies. Values are handed out unverified; LogCorrupt is thrown for
// those without a readable form. Views end with the next call on the same cursor, and with the snapshot.
namespace pixledger::eventstore {

// An epoch that a restore has ended, and the last position that this log shares with it: the restore cut off
// later events.
struct EndedEpoch {
  std::uint32_t epoch;
  Position last;
  friend bool operator==(const EndedEpoch&, const EndedEpoch&) = default;
};

// Where a log ends: what a copy needs, besides events and idempotency records, to continue like the log.
struct LogEnd {
  Head head;
  std::uint32_t id_counter = 0;
  std::optional<Digest> keyring;         // the code of the keys that the log is bound to
  std::vector<EndedEpoch> ended_epochs;  // in the order of the restores; releases up to 0.1.0 recorded none
};

// Values by position, in order.
class PositionCursor {
 public:
  virtual ~PositionCursor() = default;

  // Returns false if there is no such position.
  virtual bool seek(Position at_or_after) = 0;
  virtual bool next() = 0;
  // Of the current value.
  virtual Position position() const = 0;
  virtual std::string_view value() const = 0;
  // Returns the value at that position and leaves the cursor anywhere. Fast near the last position.
  virtual std::optional<std::string_view> find(Position position) = 0;
};

// Entries in the log's own order.
template <class Entry>
class EntryCursor {
 public:
  virtual ~EntryCursor() = default;

  // Moves to the first entry at or after a place, which may be from any snapshot's place(); empty: to the
  // first of all. Returns false if there is no such entry.
  virtual bool seek(std::string_view place) = 0;
  virtual bool next() = 0;
  virtual const Entry& entry() const = 0;
  virtual std::string place() const = 0;
};

// One version of a stream. Streams follow one another, each in the order of its versions.
struct StreamEntry {
  std::string_view stream;  // its name; empty if the index entry is invalid
  std::uint32_t version;    // 0 if invalid
  Position position;        // 0 if invalid
};
class StreamCursor : public EntryCursor<StreamEntry> {
 public:
  // Leaves the cursor anywhere. Fast near the last one.
  virtual std::optional<Position> find(const StreamName& stream, std::uint32_t version) = 0;
};

struct ClaimEntry {
  std::string_view name;
  std::string_view holder;
};

struct IdempotencyEntry {
  Timestamp time;  // of its batch
  std::string_view key;
  std::string_view record;
  bool is_as_written = true;  // as far as the log can tell: it may have no digest of it
};

// One moment of a log. Short-lived: it may keep alive all that is written meanwhile. Not thread-safe.
class LogSnapshot {
 public:
  virtual ~LogSnapshot() = default;

  virtual LogEnd end() const = 0;

  // Each event as its leaf: the envelope, then the digest of its personal bytes.
  virtual std::unique_ptr<PositionCursor> events() const = 0;
  virtual std::unique_ptr<PositionCursor> personal() const = 0;
  // See Log::tree_record.
  virtual std::unique_ptr<PositionCursor> tree() const = 0;

  virtual std::unique_ptr<StreamCursor> streams() const = 0;
  virtual std::unique_ptr<EntryCursor<ClaimEntry>> claims() const = 0;
  virtual std::uint64_t claim_count() const = 0;
  virtual std::optional<std::string_view> claim_holder(const ClaimName& claim) const = 0;

  // In the order of their times.
  virtual std::unique_ptr<EntryCursor<IdempotencyEntry>> idempotency(Timestamp from) const = 0;
  // Describes records that idempotency() does not return, or entries of it without a record.
  virtual std::optional<std::string> problem_of_idempotency() const = 0;
  // What is wrong with the log's records about itself: its format, id, epoch, head and clock.
  virtual std::optional<std::string> problem_of_meta() const = 0;
};

}  // namespace pixledger::eventstore
