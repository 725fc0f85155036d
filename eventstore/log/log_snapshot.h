#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/log.h"

// A log as it lies there, for those who check or copy it: nothing that is handed out has been found good, and
// what has not even the form to be handed out is LogCorrupt. Views end with the next call on the same cursor,
// and with the snapshot.
namespace pixledger::eventstore {

// An epoch of the ledger that a restore has ended, and how far its history is this log's as well: what it
// recorded after that position was cut off.
struct EndedEpoch {
  std::uint32_t epoch;
  Position last;
  friend bool operator==(const EndedEpoch&, const EndedEpoch&) = default;
};

// Where a log ends: what a copy needs besides events and idempotency records to go on as the log would.
struct LogEnd {
  Head head;
  std::uint32_t id_counter = 0;
  std::optional<Digest> keyring;         // the code of the keys that the log is bound to
  std::vector<EndedEpoch> ended_epochs;  // in the order of the restores; those up to 0.1.0 recorded none
};

// What lies at positions, in their order.
class PositionCursor {
 public:
  virtual ~PositionCursor() = default;

  // False when there is nothing there.
  virtual bool seek(Position at_or_after) = 0;
  virtual bool next() = 0;
  // Of what was sought.
  virtual Position position() const = 0;
  virtual std::string_view value() const = 0;
  // What lies at that position; leaves the cursor anywhere. Cheap when it is near the last one.
  virtual std::optional<std::string_view> find(Position position) = 0;
};

// Entries in an order of the log's own.
template <class Entry>
class EntryCursor {
 public:
  virtual ~EntryCursor() = default;

  // The first entry at a place or after it, from any snapshot's place(); of all for an empty one. False when
  // there is none.
  virtual bool seek(std::string_view place) = 0;
  virtual bool next() = 0;
  virtual const Entry& entry() const = 0;
  virtual std::string place() const = 0;
};

// One version of a stream. The streams come one after the other, each in the order of its versions.
struct StreamEntry {
  std::string_view stream;  // its name; empty when the index has something that is no entry
  std::uint32_t version;    // 0 when it has none
  Position position;        // 0 likewise
};
class StreamCursor : public EntryCursor<StreamEntry> {
 public:
  // Leaves the cursor anywhere. Cheap when it is near the last one.
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
  bool is_as_written = true;  // as far as the log knows: it may have kept no digest of it
};

// One moment of a log. Short-lived: it may keep alive all that is written meanwhile. Not for several threads.
class LogSnapshot {
 public:
  virtual ~LogSnapshot() = default;

  virtual LogEnd end() const = 0;

  // Each event as its leaf: the envelope, then the digest of its personal bytes.
  virtual std::unique_ptr<PositionCursor> events() const = 0;
  virtual std::unique_ptr<PositionCursor> personal() const = 0;
  // As Log::tree_record has them.
  virtual std::unique_ptr<PositionCursor> tree() const = 0;

  virtual std::unique_ptr<StreamCursor> streams() const = 0;
  virtual std::unique_ptr<EntryCursor<ClaimEntry>> claims() const = 0;
  virtual std::uint64_t claim_count() const = 0;
  virtual std::optional<std::string_view> claim_holder(const ClaimName& claim) const = 0;

  // In the order of their times.
  virtual std::unique_ptr<EntryCursor<IdempotencyEntry>> idempotency(Timestamp from) const = 0;
  // Whether there are records that idempotency() does not come to, or the other way round.
  virtual std::optional<std::string> problem_of_idempotency() const = 0;
  // What is wrong with the log's records about itself: its format, id, epoch, head and clock.
  virtual std::optional<std::string> problem_of_meta() const = 0;
};

}  // namespace pixledger::eventstore
