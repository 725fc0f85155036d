#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// How far a worker has come, and in which log: it says so with the leaf hash of the last event it handled.
struct LogCursor {
  eventstore::LogIdentity log;
  Position position;   // 0: before the first event
  Digest leaf_hash{};  // zeros before the first event

  // "<ledger id>/<epoch>/<position>/<leaf hash in hex>", the stored form.
  std::string text() const;
  static std::optional<LogCursor> parse(std::string_view text);

  friend bool operator==(const LogCursor&, const LogCursor&) = default;
};

// The cursor of one that has handled everything up to this position. Throws std::runtime_error when the log
// has no such position.
LogCursor cursor_at(const eventstore::Log& log, Position position);

// The log is not the one that the cursor was taken from, or lost events that had been handled.
class CursorMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws CursorMismatch that says which of ledger, epoch and leaf hash differs.
void check_cursor(const LogCursor& cursor, const eventstore::Log& log);
// Whether it would throw nothing.
bool is_cursor_of(const eventstore::Log& log, const LogCursor& cursor);

}  // namespace pixledger::eventstore
