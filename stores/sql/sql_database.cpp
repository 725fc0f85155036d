#include "stores/sql/sql_database.h"

#include "base/platform/faults.h"
#include "base/text/ascii.h"

namespace pixledger::stores {

const std::string& SqlRow::text(std::size_t column) const {
  const auto& found = columns_.at(column);
  if (!found) throw DataDamaged("a worker's database has nothing where a text must be");
  return *found;
}

std::int64_t SqlRow::integer(std::size_t column) const {
  const auto number = whole_number<std::int64_t>(text(column));
  if (!number) throw DataDamaged("a worker's database has a text where a number must be");
  return *number;
}

std::optional<Timestamp> SqlRow::moment(std::size_t column) const {
  if (is_null(column)) return std::nullopt;
  return Timestamp(integer(column));
}

SqlValue SqlRow::value(std::size_t column) const {
  const auto& found = columns_.at(column);
  return found ? SqlValue(*found) : SqlValue();
}

}  // namespace pixledger::stores
