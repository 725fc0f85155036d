#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/timestamp.h"
#include "eventstore/platform/sha256.h"
#include "projections/storage/damage.h"
#include "projections/storage/sql_database.h"

// How values stand in the accounts' rows, for the files of the repository alone.
namespace pixledger::projections {

inline SqlValue sql(const eventstore::Digest& digest) { return eventstore::to_hex(digest); }

template <class Id>
Id id_in(const SqlRow& row, std::size_t column) {
  auto id = Id::parse(row.text(column));
  if (!id) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return *std::move(id);
}

inline std::string bytes_in(const SqlRow& row, std::size_t column) {
  auto bytes = eventstore::bytes_from_hex(row.text(column));
  if (!bytes) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return *std::move(bytes);
}

}  // namespace pixledger::projections
