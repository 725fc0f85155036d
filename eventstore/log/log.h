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

// The log: the ordered events and nothing about what they mean. Three implementations, LMDB on disk, one that
// machines share in PostgreSQL, and one in memory, pass one contract test
// (tests/eventstore/log/log_contract_test.cpp).
namespace pixledger::eventstore {

using domain::ClaimName;
using domain::StreamName;

// Which log this is. A cursor taken from another log, or before a restore (another epoch), is worth nothing
// here.
struct LogIdentity {
  std::string ledger_id;    // 32 hex characters
  std::uint32_t epoch = 1;  // every restore makes a greater one, which no other restore has

  // Inside the ids and API keys that this log mints.
  std::array<char, 4> fingerprint() const;
  friend bool operator==(const LogIdentity&, const LogIdentity&) = default;
};
inline constexpr std::size_t kLedgerIdSize = 32;

// How the wall clock goes during one run of the machine.
struct ClockReading {
  std::string boot_id;
  std::int64_t offset_ms = 0;  // wall clock minus time since boot
  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};

// What operators have said about clocks that jumped.
struct ClockAcceptance {
  std::uint64_t count = 0;
  Timestamp
      head_time;  // at the last acceptance: a clock behind a head of this time or an earlier one is accepted
  std::optional<ClockReading> clock;  // at the last acceptance: a clock that goes like this is accepted
};

// One event as it is stored. Owned bytes, aligned for FlatBuffers.
struct StoredEvent {
  Position position;
  std::string bytes;       // the envelope
  Digest personal_digest;  // SHA-256 of the personal bytes, of "" when the event never had any
  std::string personal;    // empty when there is none, or when it has been erased
};

// What a write appends. The log gives the positions.
struct NewRecord {
  StreamName stream;
  std::uint32_t version;  // the stream's next
  std::string bytes;
  std::string personal;  // empty: none
  std::vector<ClaimName> claims;
};

// How one command with an idempotency key ended; opaque to the log, kept for kIdempotencyKeptMs and a while.
struct NewIdempotencyRecord {
  Digest key;
  std::string bytes;
  std::optional<Timestamp> replaces = std::nullopt;  // the time of the batch with the key's last record
};
constexpr std::int64_t kIdempotencyKeptMs = 48LL * 60 * 60 * 1000;

struct Batch {
  Timestamp time;            // never before the head's
  std::uint32_t id_counter;  // where the next batch goes on minting
  std::vector<NewRecord> records;
  std::vector<NewIdempotencyRecord> idempotency;
};

// Some of a stream's events, in their order.
struct StreamBatch {
  std::vector<StoredEvent> events;
  bool more = false;  // there are further ones behind them
};

// How much of streams one read takes into memory; one event it takes in any case.
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

// What a batch of commands has to know, asked for in one go.
struct LoadSet {
  struct Stream {
    StreamName name;
    std::uint32_t known_version;  // events up to here are not wanted
  };
  std::vector<Stream> streams;
  std::vector<ClaimName> claims;
  std::vector<Digest> idempotency_keys;
};
// Each vector answers the one of the same name, entry by entry. Of long streams it has the beginning, and of
// those behind them nothing: `more` tells.
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
// The log has been asked to take the write, and nobody can tell yet whether it did.
class LogOutcomeUnknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The ledger's bytes are not what they must be.
class LogCorrupt : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// What a later release has recorded, and this one cannot read. Nothing is wrong with the ledger.
class WrittenByNewerRelease : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One exclusive write: load, append, commit. Aborts unless committed. Used by the thread that began it. When
// a write that was committed ends, everybody is woken who waits for the log, in all processes that have it
// open.
class LogWrite {
 public:
  virtual ~LogWrite() = default;

  virtual Head head() const = 0;
  // What time it is where the order is decided, told with the turn; nullopt: this machine's clock says it.
  virtual std::optional<Timestamp> time_there() const { return std::nullopt; }
  virtual std::uint32_t id_counter() const = 0;
  // 0 for a stream without events.
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;
  virtual Loaded load(const LoadSet& set) const = 0;
  // As Log's, of what this write knows, which may be more than can be read outside of it yet.
  virtual std::vector<StoredEvent> read_after(Position after, std::size_t max) const = 0;
  // At most once. The first record gets the position after the head.
  virtual void append(const Batch& batch) = 0;
  // Returns when the batch is durable. Throws LogUnavailable when nothing was written, and LogOutcomeUnknown
  // when that will be known later; a failed fsync of an own file ends the process, since nobody can ever say
  // what is on the disk then.
  virtual void commit() = 0;
  // Instead of append() and commit(), for who has nothing to write: returns when all that was read is
  // durable. Throws LogUnavailable.
  virtual void confirm() {}
};

// What catch_up() comes to.
struct CaughtUp {
  Head head;
  std::string fault;  // why it cannot be told now; empty: the head counts
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
  // The head, once what anybody had written before the call can be read here. A log that keeps a copy asks
  // where the order is decided; otherwise it costs what head() does. For who answers somebody who may have
  // written elsewhere, once an answer. Throws LogUnavailable when that cannot be told now.
  virtual Head catch_up() const = 0;
  // The same for who must not wait. The head, where nobody has to be asked; otherwise nothing, and `told` is
  // called once with what it comes to, on whatever thread, maybe before this returns. Does not throw.
  virtual std::optional<Head> begin_catch_up(TellHead told) const;
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;
  // The events after a position, in order, at most `max`; fewer also when reading took long, empty only at
  // the end.
  virtual std::vector<StoredEvent> read_after(Position after, std::size_t max) const = 0;
  // A stream's events with versions above `after_version` and positions not above `up_to`, as many as a batch
  // holds. StreamEvents (stream_events.h) are all of them.
  virtual StreamBatch read_stream(const StreamName& stream, std::uint32_t after_version,
                                  Position up_to) const = 0;
  virtual std::optional<StreamName> claim_holder(const ClaimName& claim) const = 0;
  virtual std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(
      const std::string& prefix) const = 0;
  // The Merkle leaf of an event; nullopt when there is no such position.
  virtual std::optional<Digest> leaf_hash(Position position) const = 0;
  // The hashes stored with an event: its leaf, then the subtrees that it completes.
  virtual std::optional<std::string> tree_record(Position position) const = 0;

  virtual ClockAcceptance clock_acceptance() const = 0;
  // An operator says that the clock, which had jumped, is right as it goes now.
  virtual void accept_clock(const ClockReading& clock) = 0;

  // True as soon as the head is past the position, false after the time-out.
  bool wait_past(Position position, std::chrono::milliseconds timeout) const {
    return wait_past_or(position, timeout, [] { return false; });
  }
  // True as soon as the head is past the position, or `other` is, which is asked on this thread when a write
  // or wake() may have changed it; false after the time-out.
  virtual bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                            const WakeSignal::Condition& other) const = 0;
  // For who has changed what an `other` asks.
  virtual void wake() const = 0;
};

constexpr Position kNoLimit{UINT64_MAX};

// The event of a leaf: its envelope, then the digest of its personal bytes, which are added here. Throws
// LogCorrupt when it is too short to be one.
StoredEvent to_stored_event(Position position, std::string_view leaf, std::string_view personal = {});

// A recipe for an id that has to be there before its event is, such as one that a secret is sealed for. The
// counter is random: two who mint at the same moment differ.
domain::IdMint fresh_recipe(const Log& log, const Clock& clock, Entropy& entropy);

}  // namespace pixledger::eventstore
