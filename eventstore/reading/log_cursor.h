#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A worker's progress in one log, which the leaf hash of the last handled event identifies.
struct LogCursor {
  eventstore::LogIdentity log;
  Position position;   // 0: before the first event
  Digest leaf_hash{};  // zeros before the first event

  // "<ledger id>/<epoch>/<position>/<leaf hash in hex>", the stored form.
  std::string text() const;
  static std::optional<LogCursor> parse(std::string_view text);

  friend bool operator==(const LogCursor&, const LogCursor&) = default;
};

// Returns the cursor of a worker that has handled everything up to this position. Throws std::runtime_error
// if the log has no such position.
LogCursor cursor_at(const eventstore::Log& log, Position position);

// The log is not the cursor's log, or has lost events that were handled.
class CursorMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws CursorMismatch, naming what differs: ledger, epoch or leaf hash.
void check_cursor(const LogCursor& cursor, const eventstore::Log& log);
// Whether check_cursor() would not throw.
bool is_cursor_of(const eventstore::Log& log, const LogCursor& cursor);

}  // namespace pixledger::eventstore
