#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/platform/wake_signal.h"
#include "base/values/position.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/stream_name.h"

// The log: ordered events, whose meaning it does not know. Three implementations (LMDB on disk, PostgreSQL
// for several machines, memory) pass one contract test (tests/eventstore/log/log_contract_test.cpp).
namespace pixledger::eventstore {

using domain::ClaimName;
using domain::StreamName;

// Which log this is. Cursors of another log, or from before a restore (another epoch), are invalid here.
struct LogIdentity {
  std::string ledger_id;    // 32 hex characters
  std::uint32_t epoch = 1;  // each restore makes a greater one, which no other restore has

  // Inside the ids and API keys that this log mints.
  std::array<char, 4> fingerprint() const;
  friend bool operator==(const LogIdentity&, const LogIdentity&) = default;
};
inline constexpr std::size_t kLedgerIdSize = 32;

// How the wall clock runs during one boot of the machine.
struct ClockReading {
  std::string boot_id;
  std::int64_t offset_ms = 0;  // wall clock minus time since boot
  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};

// Clocks that operators have accepted after a jump.
struct ClockAcceptance {
  std::uint64_t count = 0;
  Timestamp head_time;  // at the last acceptance: a clock behind a head no later than this is accepted
  std::optional<ClockReading> clock;  // at the last acceptance: a clock that runs like this is accepted
};

// One event as it is stored. Owned bytes, aligned for FlatBuffers.
struct StoredEvent {
  Position position;
  std::string bytes;       // the envelope
  Digest personal_digest;  // SHA-256 of the personal bytes, of "" when the event never had any
  std::string personal;    // empty: none, or erased
};

// What a write appends. The log gives the positions.
struct NewRecord {
  StreamName stream;
  std::uint32_t version;  // the stream's next
  std::string bytes;
  std::string personal;  // empty: none
  std::vector<ClaimName> claims;
};

// How one command with an idempotency key ended; opaque to the log, kept for at least kIdempotencyKeptMs.
struct NewIdempotencyRecord {
  Digest key;
  std::string bytes;
  std::optional<Timestamp> replaces = std::nullopt;  // the batch time of the key's previous record
};
constexpr std::int64_t kIdempotencyKeptMs = 48LL * 60 * 60 * 1000;

struct Batch {
  Timestamp time;            // never before the head's
  std::uint32_t id_counter;  // where the next batch continues minting
  std::vector<NewRecord> records;
  std::vector<NewIdempotencyRecord> idempotency;
};

// Some of a stream's events, in their order.
struct StreamBatch {
  std::vector<StoredEvent> events;
  bool more = false;  // further events follow
};

// How much of streams one read takes into memory; it takes one event in any case.
class ReadAllowance {
 public:
  constexpr ReadAllowance(std::size_t events, std::size_t bytes) : events_(events), bytes_(bytes) {}

  bool is_used_up() const { return events_ == 0 || bytes_ == 0; }
  void use_for(const StoredEvent& event) {
    const auto bytes = event.bytes.size() + event.personal.size();
    --events_;
    bytes_ -= bytes < bytes_ ? bytes : bytes_;
  }

 private:
  std::size_t events_;
  std::size_t bytes_;
};
constexpr ReadAllowance kStreamBatch{1'000, std::size_t{1} << 20};
constexpr ReadAllowance kLoad{8'192, std::size_t{8} << 20};  // of all streams of a load together

// What a batch of commands needs to know, loaded at once.
struct LoadSet {
  struct Stream {
    StreamName name;
    std::uint32_t known_version;  // events up to here are not needed
  };
  std::vector<Stream> streams;
  std::vector<ClaimName> claims;
  std::vector<Digest> idempotency_keys;
};
// Each vector answers its namesake in LoadSet, entry by entry. A long stream is cut short, and the streams
// after it are empty: `more` is set.
struct Loaded {
  std::vector<StreamBatch> streams;
  std::vector<std::optional<StreamName>> claims;
  std::vector<std::optional<std::string>> idempotency;
};

// The log cannot take the write for now (disk or map full, clock out of order); nothing was written.
class LogUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The log was asked to commit, and the outcome is not known yet.
class LogOutcomeUnknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The ledger's bytes are invalid.
class LogCorrupt : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// A later release recorded what this one cannot read. The ledger is intact.
class WrittenByNewerRelease : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One exclusive write: load, append, commit. Aborts unless committed. Used only by the thread that began it.
// The end of a committed write wakes all threads that wait for the log, in all processes that have it open.
class LogWrite {
 public:
  virtual ~LogWrite() = default;

  virtual Head head() const = 0;
  // The time where the order is decided, read when the turn began; nullopt: this machine's clock counts.
  virtual std::optional<Timestamp> time_there() const { return std::nullopt; }
  virtual std::uint32_t id_counter() const = 0;
  // 0 for a stream without events.
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;
  virtual Loaded load(const LoadSet& set) const = 0;
  // As Log::read_after, but may return events that cannot be read outside of this write yet.
  virtual std::vector<StoredEvent> read_after(Position after, std::size_t max) const = 0;
  // At most once. The first record gets the position after the head.
  virtual void append(const Batch& batch) = 0;
  // Returns when the batch is durable. Throws LogUnavailable if nothing was written, and LogOutcomeUnknown if
  // the outcome will be known later. A failed fsync of a local file ends the process: the disk's content is
  // unknown then.
  virtual void commit() = 0;
  // Instead of append() and commit() if there is nothing to write: returns when all that was read is durable.
  // Throws LogUnavailable.
  virtual void confirm() {}
};

// The result of begin_catch_up().
struct CaughtUp {
  Head head;
  std::string fault;  // why the head is unknown now; empty: the head is valid
};
using TellHead = std::function<void(const CaughtUp&)>;

// Thread-safe. Reads see what is committed and durable.
class Log {
 public:
  virtual ~Log() = default;

  virtual const LogIdentity& identity() const = 0;

  // Waits for its turn among all threads and processes that write this log.
  virtual std::unique_ptr<LogWrite> begin_write() = 0;

  virtual Head head() const = 0;
  // Returns the head once everything committed before the call can be read here. A copy asks where the order
  // is decided; other logs do what head() does. Call it once for each reply to a client that may have written
  // elsewhere. Throws LogUnavailable if the head is unknown now.
  virtual Head catch_up() const = 0;
  // catch_up() without blocking. Returns the head if no query is needed. Otherwise returns nullopt and calls
  // `told` once with the result, on any thread, maybe before this returns. Does not throw.
  virtual std::optional<Head> begin_catch_up(TellHead told) const;
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;
  // Returns at most `max` events after a position, in order. Fewer if reading takes long; none only at the
  // end.
  virtual std::vector<StoredEvent> read_after(Position after, std::size_t max) const = 0;
  // A stream's events with versions above `after_version` and positions not above `up_to`, as many as fit in
  // a batch. StreamEvents (stream_events.h) reads all of them.
  virtual StreamBatch read_stream(const StreamName& stream, std::uint32_t after_version,
                                  Position up_to) const = 0;
  virtual std::optional<StreamName> claim_holder(const ClaimName& claim) const = 0;
  virtual std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(
      const std::string& prefix) const = 0;
  // The Merkle leaf of an event, or nullopt if there is no such position.
  virtual std::optional<Digest> leaf_hash(Position position) const = 0;
  // The hashes stored with an event: its leaf, then the subtrees that it completes.
  virtual std::optional<std::string> tree_record(Position position) const = 0;

  virtual ClockAcceptance clock_acceptance() const = 0;
  // Records that an operator accepts the clock, which had jumped, as it runs now.
  virtual void accept_clock(const ClockReading& clock) = 0;

  // Returns true as soon as the head is past the position, false after the time-out.
  bool wait_past(Position position, std::chrono::milliseconds timeout) const {
    return wait_past_or(position, timeout, [] { return false; });
  }
  // Returns true as soon as the head is past the position or `other` returns true, false after the time-out.
  // Calls `other` on this thread after each write or wake().
  virtual bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                            const WakeSignal::Condition& other) const = 0;
  // To be called after a change of what an `other` reads.
  virtual void wake() const = 0;
};

constexpr Position kNoLimit{UINT64_MAX};

// Makes the event of a leaf (its envelope, then the digest of its personal bytes) and its personal bytes.
// Throws LogCorrupt if the leaf is too short.
StoredEvent to_stored_event(Position position, std::string_view leaf, std::string_view personal = {});

// An id that is needed before its event exists, for example to seal a secret for it, and its recipe. The
// counter is random, so that two callers at the same moment get different ids.
domain::IdMint fresh_recipe(const Log& log, const Clock& clock, Entropy& entropy);
template <class Id>
Id fresh_id(const Log& log, const Clock& clock, Entropy& entropy) {
  return domain::mint<Id>(fresh_recipe(log, clock, entropy), 0);
}

}  // namespace pixledger::eventstore
