#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/reading/read_ahead.h"
#include "tools/audit/personal_rules.h"

// What the index of streams names, stream after stream, each from its first version on.
namespace pixledger::tools {

// An entry of the index, with the event that it names.
struct IndexedEvent {
  std::string problem{};                       // of the index itself, which has no entry here then
  bool is_first = false;                       // of its stream, as far as it is looked at
  std::optional<domain::StreamName> stream{};  // of a first one; none: its name is none
  std::uint32_t version = 0;
  Position position{};
  bool is_in_log = false;                        // the log has that position
  std::optional<domain::RecordedEvent> event{};  // what lies there
  std::string unreadable{};                      // why that cannot be told
  HeldPersonal personal{};
};

struct IndexedBatch {
  std::vector<IndexedEvent> entries{};
  std::size_t stored_bytes = 0;

  std::size_t event_count() const { return entries.size(); }
  std::size_t byte_count() const { return stored_bytes; }
};

// Reads and decodes ahead, in short snapshots. Others go on writing: events after `end` are left out, unless
// the log has no such position. The log outlives it.
eventstore::ReadAhead<IndexedBatch> read_index_ahead(const eventstore::LedgerLog& log, Position end);

}  // namespace pixledger::tools
