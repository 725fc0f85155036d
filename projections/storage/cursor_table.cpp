#include "projections/storage/cursor_table.h"

#include <Poco/Data/Statement.h>
#include <string>
#include <vector>

#include "projections/storage/damage.h"

namespace pixledger::projections {

using namespace Poco::Data::Keywords;

std::optional<LogCursor> select_cursor(Poco::Data::Session& session) {
  std::vector<std::string> texts;
  session << "SELECT text FROM cursor", into(texts), now;
  if (texts.empty()) return std::nullopt;
  auto cursor = LogCursor::parse(texts.front());
  if (!cursor) throw WorkerDatabaseDamaged("the cursor of a worker's database is damaged");
  return cursor;
}

std::optional<LogCursor> find_cursor(Poco::Data::Session& session) {
  int tables = 0;
  session << "SELECT COUNT(*) FROM sqlite_master WHERE name = 'cursor'", into(tables), now;
  return tables == 0 ? std::nullopt : select_cursor(session);
}

void save_cursor(Poco::Data::Session& session, const LogCursor& cursor) {
  session << "INSERT OR REPLACE INTO cursor VALUES (1, ?)", bind(cursor.text()), now;
}

}  // namespace pixledger::projections
