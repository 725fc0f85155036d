#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/timestamp.h"
#include "eventstore/platform/sha256.h"
#include "projections/accounts/account_rows.h"
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

// Of a sign-in. $2: used after; $3: begun after.
inline constexpr const char* kHasNotEnded = "ended_at IS NULL AND last_seen_at > $2 AND created_at > $3";

// `whose`: $1.
inline SqlValues live_at(const std::string& whose, domain::Timestamp now) {
  return {whose, sql(now.plus_millis(-kSignInIdleMs)), sql(now.plus_millis(-kSignInMs))};
}

inline std::string bytes_in(const SqlRow& row, std::size_t column) {
  auto bytes = eventstore::bytes_from_hex(row.text(column));
  if (!bytes) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return *std::move(bytes);
}

}  // namespace pixledger::projections
