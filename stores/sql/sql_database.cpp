#include "stores/sql/sql_database.h"

#include <charconv>

#include "base/platform/faults.h"

namespace pixledger::stores {

const std::string& SqlRow::text(std::size_t column) const {
  const auto& found = columns_.at(column);
  if (!found) throw WorkerDatabaseDamaged("a worker's database has nothing where a text must be");
  return *found;
}

std::int64_t SqlRow::integer(std::size_t column) const {
  const auto& digits = text(column);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw WorkerDatabaseDamaged("a worker's database has a text where a number must be");
  return number;
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
