#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/platform/faults.h"
#include "projections/list/list_query.h"
#include "projections/list/work_check.h"
#include "projections/views/view_tables.h"

// Tables whose keys are a prefix and an ordinal.
namespace pixledger::projections {

inline constexpr OrdinalRange kAllOrdinals{0, std::numeric_limits<std::uint32_t>::max()};

// Returns the ordinal at the end of a key. Throws DataDamaged.
inline std::uint32_t ordinal_in(std::string_view key) {
  constexpr std::size_t kOrdinalBytes = 4;
  if (key.size() < kOrdinalBytes) throw DataDamaged("a row of the read models has too short a key");
  return static_cast<std::uint32_t>(from_big_endian(key.substr(key.size() - kOrdinalBytes)));
}

// Calls `visit` with the ordinal and value of each row with that prefix in the range, ascending. Returns
// false if there are more than `rows_max` rows; the first ones have been visited. Propagates what `check`
// throws.
template <class Visit>
bool visit_ordinals(MDB_txn* transaction, MDB_dbi table, const std::string& prefix, OrdinalRange range,
                    std::size_t rows_max, const WorkCheck& check, Visit visit) {
  const auto end = prefix + big_endian32(range.last);
  std::size_t rows = 0;
  eventstore::LmdbCursor cursor(transaction, table);
  for (bool more = cursor.seek(prefix + big_endian32(range.first)); more && cursor.key() < end;
       more = cursor.move(MDB_NEXT)) {
    check.look_at_row(rows);
    if (rows++ == rows_max) return false;
    visit(ordinal_in(cursor.key()), cursor.value());
  }
  return true;
}

}  // namespace pixledger::projections
