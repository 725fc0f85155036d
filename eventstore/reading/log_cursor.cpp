#include "eventstore/reading/log_cursor.h"

#include <array>

#include "base/text/ascii.h"

namespace pixledger::eventstore {
namespace {

// Returns the four fields between the slashes, or nullopt if there are not four.
std::optional<std::array<std::string_view, 4>> split_cursor(std::string_view text) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    fields[i] = text.substr(0, slash);
    text.remove_prefix(slash + 1);
  }
  fields[3] = text;
  return fields;
}

}  // namespace

std::string LogCursor::text() const {
  return log.ledger_id + "/" + std::to_string(log.epoch) + "/" + std::to_string(position.value()) + "/" +
         to_hex(leaf_hash);
}

std::optional<LogCursor> LogCursor::parse(std::string_view text) {
  const auto fields = split_cursor(text);
  if (!fields || (*fields)[0].size() != kLedgerIdSize) return std::nullopt;
  const auto epoch = whole_number<std::uint32_t>((*fields)[1]);
  const auto position = whole_number<std::uint64_t>((*fields)[2]);
  const auto leaf_hash = digest_from_hex((*fields)[3]);
  if (!epoch || !position || !leaf_hash) return std::nullopt;
  return LogCursor{{std::string((*fields)[0]), *epoch}, Position(*position), *leaf_hash};
}

LogCursor cursor_at(const eventstore::Log& log, Position position) {
  if (position == Position()) return {log.identity(), position, {}};
  const auto leaf_hash = log.leaf_hash(position);
  if (!leaf_hash) throw std::runtime_error("the ledger has no position " + std::to_string(position.value()));
  return {log.identity(), position, *leaf_hash};
}

void check_cursor(const LogCursor& cursor, const eventstore::Log& log) {
  const auto& identity = log.identity();
  if (cursor.log.ledger_id != identity.ledger_id)
    throw CursorMismatch("the cursor belongs to ledger " + cursor.log.ledger_id + ", this is ledger " +
                         identity.ledger_id);
  if (cursor.log.epoch != identity.epoch)
    throw CursorMismatch("the cursor belongs to epoch " + std::to_string(cursor.log.epoch) +
                         " of the ledger, which is in epoch " + std::to_string(identity.epoch) +
                         " since a restore");
  if (cursor.position == Position()) return;
  const auto position = std::to_string(cursor.position.value());
  const auto leaf_hash = log.leaf_hash(cursor.position);
  if (!leaf_hash)
    throw CursorMismatch("the ledger ends before position " + position + ", where the cursor is");
  if (*leaf_hash != cursor.leaf_hash)
    throw CursorMismatch("the ledger's event at position " + position +
                         " is not the one that the cursor names");
}

bool is_cursor_of(const eventstore::Log& log, const LogCursor& cursor) {
  try {
    check_cursor(cursor, log);
    return true;
  } catch (const CursorMismatch&) {
    return false;
  }
}

}  // namespace pixledger::eventstore
