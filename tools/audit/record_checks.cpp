#include "tools/audit/record_checks.h"

#include <algorithm>

#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/short_snapshots.h"

namespace pixledger::tools {
namespace {

using eventstore::ClaimEntry;
using eventstore::IdempotencyEntry;
using eventstore::LedgerLog;
using eventstore::LogSnapshot;

constexpr std::size_t kEventsPerRead = 1000;

Finding unplaced(std::string problem) { return {Position(), std::move(problem)}; }

std::optional<Finding> finding_of(std::optional<std::string> problem) {
  return problem ? std::optional(unplaced(*std::move(problem))) : std::nullopt;
}

bool states(const LedgerLog& log, const domain::StreamName& stream, std::string_view claim) {
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto stated = domain::claims_of({event.stream, event.project, event.event});
    if (std::any_of(stated.begin(), stated.end(), [&](const auto& name) { return name.text() == claim; }))
      return true;
  }
  return false;
}

std::optional<std::string> problem_of(const LogSnapshot& snapshot, const IdempotencyEntry& entry) {
  if (!entry.is_as_written) return "an idempotency record is not the one that was written";
  const auto record = eventstore::decode_idempotency_record(entry.record);
  if (record.recorded_at != entry.time)
    return "the time of an idempotency record is not the one in its index";
  if (record.as_of() > snapshot.end().head.position)
    return "an idempotency record names events that the log does not have";
  return std::nullopt;
}

}  // namespace

LedgerMark mark_of(const LedgerLog& log) {
  const auto snapshot = log.snapshot();
  return {snapshot->end().head.position, snapshot->claim_count()};
}

std::optional<Finding> check_meta(const LedgerLog& log) {
  return finding_of(log.snapshot()->problem_of_meta());
}

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

std::optional<Finding> check_idempotency(const LedgerLog& log) {
  auto problem = log.snapshot()->problem_of_idempotency();
  if (problem) return finding_of(std::move(problem));
  try {
    eventstore::visit_in_short_snapshots(
        log, [](const LogSnapshot& snapshot) { return snapshot.idempotency(Timestamp()); },
        [&problem](const LogSnapshot& snapshot, const IdempotencyEntry& entry) {
          problem = problem_of(snapshot, entry);
          return !problem;
        });
  } catch (const eventstore::LogCorrupt& corrupt) {
    problem = corrupt.what();
  }
  return finding_of(std::move(problem));
}

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

}  // namespace pixledger::tools
