#include "tools/audit/verifier.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/sha256.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/short_snapshots.h"
#include "eventstore/tree/merkle.h"
#include "tools/audit/stream_pass.h"

namespace pixledger::tools {
namespace {

using eventstore::ClaimEntry;
using eventstore::IdempotencyEntry;
using eventstore::LedgerLog;
using eventstore::LogSnapshot;

constexpr std::size_t kEventsPerRead = 1000;
constexpr unsigned kEventsPerLookAtClock = 256;

// The ledger's end at one time.
struct LedgerMark {
  Position head;
  std::uint64_t claims = 0;
};

Finding unplaced(std::string problem) { return {Position(), std::move(problem)}; }

std::optional<Finding> finding_of(std::optional<std::string> problem) {
  return problem ? std::optional(unplaced(*std::move(problem))) : std::nullopt;
}

// True if an event of the stream states the claim.
bool states(const LedgerLog& log, const domain::StreamName& stream, std::string_view claim) {
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto stated = domain::claims_of({event.stream, event.project, event.event});
    if (std::any_of(stated.begin(), stated.end(), [&](const auto& name) { return name.text() == claim; }))
      return true;
  }
  return false;
}

// The fault of an idempotency record, or nullopt.
std::optional<std::string> problem_of(const LogSnapshot& snapshot, const IdempotencyEntry& entry) {
  if (!entry.is_as_written) return "an idempotency record is not the one that was written";
  const auto record = eventstore::decode_idempotency_record(entry.record);
  if (record.recorded_at != entry.time)
    return "the time of an idempotency record is not the one in its index";
  if (record.as_of() > snapshot.end().head.position)
    return "an idempotency record names events that the log does not have";
  return std::nullopt;
}

LedgerMark mark_of(const LedgerLog& log) {
  const auto snapshot = log.snapshot();
  return {snapshot->end().head.position, snapshot->claim_count()};
}

// Checks the records of `meta`, and the log's files beside its database.
std::optional<Finding> check_meta(const LedgerLog& log) {
  auto problem = log.snapshot()->problem_of_meta();
  return finding_of(problem ? std::move(problem) : log.problem_of_files());
}

// Checks that nothing is stored beyond the head. `newest` is an event's time, which must not be after the
// head's.
std::optional<Finding> check_ends(const LedgerLog& log, Timestamp newest) {
  const auto snapshot = log.snapshot();
  const auto head = snapshot->end().head;
  for (const auto& cursor : {snapshot->events(), snapshot->personal(), snapshot->tree()}) {
    if (cursor->seek(head.position.next()))
      return Finding{head.position.next(), "there is something beyond the head of the log"};
    if (cursor->seek(Position()) && cursor->position() < Position(1))
      return unplaced("there is something before position 1");
  }
  if (head.time < newest) return Finding{head.position, "it was recorded after the head of the log"};
  return std::nullopt;
}

// Checks idempotency records from a time on, and the index of their times, which must match exactly. Records
// from before this check existed are only read.
std::optional<Finding> check_idempotency(const LedgerLog& log, Timestamp from) {
  auto problem = log.snapshot()->problem_of_idempotency();
  if (problem) return finding_of(std::move(problem));
  try {
    eventstore::visit_in_short_snapshots(
        log, [from](const LogSnapshot& snapshot) { return snapshot.idempotency(from); },
        [&problem](const LogSnapshot& snapshot, const IdempotencyEntry& entry) {
          problem = problem_of(snapshot, entry);
          return !problem;
        });
  } catch (const eventstore::LogCorrupt& corrupt) {
    problem = corrupt.what();
  }
  return finding_of(std::move(problem));
}

// The first event up to `end` that its stream's index lacks. Slow: call it only if one is known to exist.
std::optional<Finding> find_unnamed_event(const LedgerLog& log, Position end) {
  for (Position last; last < end;) {
    const auto batch = log.read_after(last, kEventsPerRead);
    if (batch.empty()) return std::nullopt;
    const auto snapshot = log.snapshot();
    const auto streams = snapshot->streams();
    for (const auto& stored : batch) {
      last = stored.position;
      if (last > end) return std::nullopt;
      const auto event = eventstore::decode(stored);
      if (streams->find(event.stream, event.version) != last)
        return Finding{last, "stream " + event.stream.text() + " does not have this event as its version " +
                                 std::to_string(event.version)};
    }
  }
  return std::nullopt;
}

// A held claim that no event states. Also slow. The finding is at `end`.
std::optional<Finding> find_orphaned_claim(const LedgerLog& log, Position end) {
  std::optional<Finding> finding;
  eventstore::visit_in_short_snapshots(
      log, [](const LogSnapshot& snapshot) { return snapshot.claims(); },
      [&](const LogSnapshot&, const ClaimEntry& entry) {
        const auto holder = domain::StreamName::parse(entry.holder);
        if (holder && states(log, *holder, entry.name)) return true;
        finding = {end,
                   "the name " + std::string(entry.name) + " is held, but no event of its holder says so"};
        return false;
      });
  return finding;
}

// The result of a pass over positions.
struct Structure {
  std::optional<Finding> finding;  // the first fault; reading stops there
  std::uint64_t events = 0;        // with those before the pass
  std::uint64_t personal = 0;      // events with personal data
  std::uint64_t erased = 0;        // events whose personal data is gone
  // Unset unless envelopes were read.
  Timestamp newest;                // of the last event
  std::vector<Position> erasures;  // of customers
  Digest root{};                   // of the tree over all events up to here
};

// The rows of one kind, from a position on.
class Rows {
 public:
  Rows(std::unique_ptr<eventstore::PositionCursor> cursor, Position from) : cursor_(std::move(cursor)) {
    there_ = cursor_->seek(from);
  }
  bool is_at(Position position) const { return there_ && cursor_->position() == position; }
  bool is_before(Position position) const { return there_ && cursor_->position() < position; }
  std::string_view value() const { return cursor_->value(); }
  void advance() { there_ = cursor_->next(); }

 private:
  std::unique_ptr<eventstore::PositionCursor> cursor_;
  bool there_;
};

// Where a pass begins: after events that are not read.
struct Start {
  Position after{};
  Timestamp time{};  // of the event there
};

// Reads the log once, position by position.
class StructurePass {
 public:
  StructurePass(const LedgerLog& log, const Start& start, Position end, bool reads_envelopes)
      : log_(log),
        end_(end),
        reads_envelopes_(reads_envelopes),
        tree_(start.after.value(), eventstore::TreeOfLog(log)),
        last_(start.after) {
    result_.newest = start.time;
  }

  Structure run(const VerifyProgress& progress) {
    while (!result_.finding && last_ < end_) {
      const auto before = last_;
      try {
        read_some();
      } catch (const eventstore::LogCorrupt& corrupt) {
        found(corrupt.what());
      }
      progress(last_.value() - before.value());
    }
    result_.events = last_.value();
    result_.root = tree_.root();
    return std::move(result_);
  }

 private:
  bool found(std::string problem) {
    result_.finding = {last_.next(), std::move(problem)};
    return false;
  }

  void read_some() {
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    const auto snapshot = log_.snapshot();
    Rows events(snapshot->events(), last_.next());
    Rows personal(snapshot->personal(), last_.next());
    Rows tree(snapshot->tree(), last_.next());
    for (unsigned count = 1; last_ < end_; ++count) {
      if (!events.is_at(last_.next())) {
        found("there is no event here");
        return;
      }
      if (!check_personal(events.value(), personal) || !check_event(events.value(), tree)) return;
      last_ = last_.next();
      events.advance();
      if (count % kEventsPerLookAtClock == 0 && std::chrono::steady_clock::now() > deadline) return;
    }
  }

  bool check_personal(std::string_view event, Rows& personal) {
    if (event.size() <= kDigestBytes) return found("the event is too short");
    const auto digest = event.substr(event.size() - kDigestBytes);
    if (personal.is_before(last_.next())) return found("there are personal data that belong to no event");
    if (!personal.is_at(last_.next())) {
      if (digest != bytes_of(none_)) ++result_.erased;
      return true;
    }
    if (personal.value().empty() || bytes_of(sha256(personal.value())) != digest)
      return found("the personal data are not those that were recorded");
    ++result_.personal;
    personal.advance();
    return true;
  }

  bool check_event(std::string_view event, Rows& tree) {
    if (!tree.is_at(last_.next())) return found("the Merkle tree has no leaf for this event");
    const Digest leaf = eventstore::leaf_hash(event);
    if (tree.value().substr(0, kDigestBytes) != bytes_of(leaf))
      return found("the event is not what was recorded: its leaf hash differs");
    if (tree.value() != tree_.append(leaf))
      return found("the Merkle tree's nodes are not those of the events");
    tree.advance();
    if (!reads_envelopes_) return true;
    const auto envelope = event.substr(0, event.size() - kDigestBytes);
    const auto header = eventstore::header_of(last_.next(), envelope);
    if (header.recorded_at < result_.newest) return found("it was recorded before the event in front of it");
    result_.newest = header.recorded_at;
    if (header.erases) result_.erasures.push_back(last_.next());
    return true;
  }

  const LedgerLog& log_;
  const Position end_;
  const bool reads_envelopes_;
  const Digest none_ = sha256("");
  Structure result_;
  eventstore::Frontier tree_;
  Position last_;
};

// Reads the events from `start` to `end` with personal data and tree records, in order. Checks that there are
// no gaps, the digests match the data and the tree matches the events. With `reads_envelopes`, also that
// times never decrease.
Structure check_structure(const LedgerLog& log, const Start& start, Position end, bool reads_envelopes,
                          const VerifyProgress& progress) {
  return StructurePass(log, start, end, reads_envelopes).run(progress);
}

// Runs one verification from its parts.
class Verifier {
 public:
  Verifier(const LedgerLog& log, const VerifyOptions& options)
      : log_(log), options_(options), mark_(mark_of(log)) {}

  Verification run() {
    if (options_.only_newer) trust_checkpoint(*options_.against);
    note(check_meta(log_));
    check_events();
    if (reads_meaning()) check_meaning();
    note(check_ends(log_, result_.newest));
    if (options_.against) note(check_continuity(*options_.against));
    return std::move(result_);
  }

  Verification run_streams() {
    const auto streams = check_streams(log_, {}, mark_.head, {}, [this](std::uint64_t events) {
      done_ += events;
      if (options_.progress) options_.progress(done_, mark_.head.value());
    });
    note(streams.finding);
    return std::move(result_);
  }

 private:
  bool reads_meaning() const { return options_.depth == VerificationDepth::kMeaning; }

  void note(std::optional<Finding> finding) {
    if (finding) keep_first(result_.finding, *std::move(finding));
  }

  VerifyProgress progress() {
    const auto total = (mark_.head.value() - result_.trusted) * (reads_meaning() ? 2 : 1);
    return [this, total](std::uint64_t events) {
      // Streams that go on have older events, too.
      done_ = std::min(done_ + events, total);
      if (options_.progress) options_.progress(done_, total);
    };
  }

  // The nodes that lead to the root are those of the events that it was signed for. They are all that is
  // needed to append to that tree.
  void trust_checkpoint(const eventstore::Checkpoint& kept) {
    const Position last(kept.size);
    if (last == Position() || mark_.head < last) return;
    try {
      if (eventstore::tree_root(kept.size, eventstore::TreeOfLog(log_)) != kept.root) return;
      start_ = {.after = last, .time = eventstore::recorded_at(log_, last)};
      result_.trusted = kept.size;
    } catch (const std::runtime_error&) {
      // Reading everything finds the damage, and its position.
    }
  }

  void check_events() {
    const auto structure = check_structure(log_, start_, mark_.head, reads_meaning(), progress());
    note(structure.finding);
    result_.events = structure.events;
    result_.personal = structure.personal;
    result_.erased = structure.erased;
    result_.newest = structure.newest;
    result_.root = structure.root;
    erasures_ = {structure.erasures, options_.erasing_lock};
    is_whole_ = !structure.finding;
  }

  // Damaged events start at some position; events before it may have an earlier fault.
  void check_meaning() {
    const Position end(result_.events);
    if (is_whole_) note(check_idempotency(log_, start_.time));
    const auto streams = check_streams(log_, start_.after, end, erasures_, progress());
    note(streams.finding);
    result_.streams = streams.streams;
    result_.claims = streams.claims;
    if (!is_whole_ || result_.trusted != 0) return;
    if (streams.events != end.value()) note(find_unnamed_event(log_, end));
    if (streams.claims != mark_.claims) note(find_orphaned_claim(log_, end));
    if (streams.events != end.value() || streams.claims != mark_.claims)
      note(Finding{end, "the ledger holds more or less than its events state"});
  }

  // RFC 6962 section 2.1.2.
  std::optional<Finding> check_continuity(const eventstore::Checkpoint& old) const {
    if (!is_whole_) return std::nullopt;
    const auto size = mark_.head.value();
    if (old.size > size)
      return Finding{
          mark_.head,
          "it was signed for " + std::to_string(old.size) + " events, and there are " + std::to_string(size),
          Part::kCheckpoint};
    const auto proof = eventstore::consistency_proof(old.size, size, eventstore::TreeOfLog(log_));
    if (eventstore::verify_consistency(old.size, old.root, size, result_.root, proof))
      return check_stated_length(old);
    return Finding{
        Position(old.size),
        "the events up to position " + std::to_string(old.size) + " are not those that it was signed for",
        Part::kCheckpoint};
  }

  // A receipt's checkpoint may state a false stream length although its tree is correct.
  std::optional<Finding> check_stated_length(const eventstore::Checkpoint& old) const {
    if (!old.stream) return std::nullopt;
    const auto& [stream, events] = *old.stream;
    std::uint64_t recorded = 0;
    for ([[maybe_unused]] const auto& event : eventstore::StreamEvents(log_, stream, 0, Position(old.size)))
      ++recorded;
    if (recorded == events) return std::nullopt;
    return Finding{Position(old.size),
                   "it states a length of " + std::to_string(events) + " for " + stream.text() +
                       ", which had " + std::to_string(recorded),
                   Part::kCheckpoint};
  }

  const LedgerLog& log_;
  const VerifyOptions& options_;
  const LedgerMark mark_;
  Start start_;
  Verification result_;
  Erasures erasures_;
  bool is_whole_ = false;
  std::uint64_t done_ = 0;
};

}  // namespace

Verification verify_log(const LedgerLog& log, const VerifyOptions& options) {
  return Verifier(log, options).run();
}

Verification verify_streams(const LedgerLog& log, const VerifyOptions& options) {
  return Verifier(log, options).run_streams();
}

namespace {

constexpr std::size_t kRowsPerRead = 1000;

// Data that erasures have removed, up to the ledger's head. Finding it reads the ledger, so this runs only if
// data is missing without a known erasure.
class TakenAway {
 public:
  explicit TakenAway(const eventstore::LedgerLog& log) : log_(log) {}

  bool has(Position position) {
    if (is_known(position)) return true;
    // The erasure's event precedes the removal of PostgreSQL's row.
    const auto head = log_.catch_up().position;
    if (head != known_up_to_) look(head);
    return is_known(position);
  }

 private:
  bool is_known(Position position) const {
    return std::binary_search(positions_.begin(), positions_.end(), position);
  }

  void look(Position head) {
    for (auto after = known_up_to_; after < head;) {
      const auto read = log_.read_after(after, kRowsPerRead);
      if (read.empty())
        throw eventstore::LogCorrupt("there is no event after position " + std::to_string(after.value()));
      for (const auto& event : read) {
        after = event.position;
        if (eventstore::header_of(event.position, event.bytes).erases)
          erasures_.push_back(eventstore::erasure_at(log_, event.position));
      }
    }
    known_up_to_ = head;
    positions_ = eventstore::records_erased_by(log_, erasures_).positions;
  }

  const eventstore::LedgerLog& log_;
  Position known_up_to_;
  std::vector<eventstore::Erasure> erasures_;
  std::vector<Position> positions_;  // ascending
};

}  // namespace

std::optional<Finding> compare_shared_rows(
    const eventstore::LedgerLog& log, const eventstore::Cluster& cluster, Position after,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  TakenAway taken(log);
  const auto found =
      cluster.find_difference({.after = after,
                               .is_erased = [&taken](Position position) { return taken.has(position); },
                               .progress = progress});
  if (!found) return std::nullopt;
  return Finding{found->position, found->problem, Part::kShared};
}

}  // namespace pixledger::tools
