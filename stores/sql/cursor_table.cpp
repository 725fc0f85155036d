#include "stores/sql/cursor_table.h"

#include "base/platform/faults.h"

namespace pixledger::stores {

std::optional<eventstore::LogCursor> select_cursor(SqlDatabase& database) {
  const auto rows = database.run("SELECT text FROM cursor").rows;
  if (rows.empty()) return std::nullopt;
  auto cursor = eventstore::LogCursor::parse(rows.front().text(0));
  if (!cursor) throw DataDamaged("the cursor of a worker's database is damaged");
  return cursor;
}

std::optional<eventstore::LogCursor> find_cursor(SqlDatabase& database) {
  if (!database.is_shared() &&
      database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'cursor'") == 0)
    return std::nullopt;
  return select_cursor(database);
}

void save_cursor(SqlDatabase& database, const eventstore::LogCursor& cursor) {
  database.run(
      "INSERT INTO cursor (only_row, text) VALUES (1, $1) ON CONFLICT (only_row) DO UPDATE SET text = $1",
      {cursor.text()});
}

void begin_work(SqlDatabase& database, std::optional<eventstore::LogCursor> start) {
  if (!start) start = select_cursor(database);
  SqlTransaction transaction(database);
  if (start) save_cursor(database, *start);
  transaction.commit();
  if (!database.is_shared()) database.run("PRAGMA synchronous = NORMAL");
}

}  // namespace pixledger::stores
