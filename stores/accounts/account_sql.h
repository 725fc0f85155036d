#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/damage.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "stores/accounts/account_rows.h"
#include "stores/sql/sql_database.h"

// How values stand in the accounts' rows, for the files of the repository alone.
namespace pixledger::stores {

inline SqlValue sql(const Digest& digest) { return to_hex(digest); }

template <class Id>
Id id_in(const SqlRow& row, std::size_t column) {
  auto id = Id::parse(row.text(column));
  if (!id) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return *std::move(id);
}

// Of a sign-in. $2: used after; $3: begun after.
inline constexpr const char* kHasNotEnded = "ended_at IS NULL AND last_seen_at > $2 AND created_at > $3";

// `whose`: $1.
inline SqlValues live_at(const std::string& whose, Timestamp now) {
  return {whose, sql(now.plus_millis(-kSignInIdleMs)), sql(now.plus_millis(-kSignInMs))};
}

inline std::string bytes_in(const SqlRow& row, std::size_t column) {
  auto bytes = bytes_from_hex(row.text(column));
  if (!bytes) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return *std::move(bytes);
}

}  // namespace pixledger::stores
