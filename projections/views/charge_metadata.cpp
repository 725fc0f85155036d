#include "projections/views/charge_metadata.h"

#include <algorithm>
#include <limits>

#include "projections/views/byte_stream.h"
#include "projections/views/ordinal_rows.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

std::string customer_prefix(const domain::CustomerId& customer) { return customer.text() + '\0'; }

// Reads the row in place: there may be many rows.
bool has_all(std::string_view row, const std::vector<domain::MetadataEntry>& wanted) {
  ByteReader in(row);
  std::size_t matching = 0;
  for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
    const auto key = in.text();
    const auto value = in.text();
    matching += static_cast<std::size_t>(
        std::count_if(wanted.begin(), wanted.end(), [&](const domain::MetadataEntry& entry) {
          return entry.key.text() == key && entry.value.text() == value;
        }));
  }
  return matching == wanted.size();
}

}  // namespace

void put_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ChargeCreated& charge,
                  std::uint32_t ordinal) {
  if (!charge.metadata) return;
  eventstore::lmdb_put(transaction, tables.metadata, ordinal_key(charge.project, ordinal),
                       encode_row(*charge.metadata));
  eventstore::lmdb_put(transaction, tables.metadata_by_customer,
                       customer_prefix(charge.customer) + big_endian32(ordinal), "");
}

void remove_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project,
                     const domain::CustomerId& customer) {
  std::vector<std::uint32_t> charges;
  visit_ordinals(transaction, tables.metadata_by_customer, customer_prefix(customer), kAllOrdinals,
                 std::numeric_limits<std::size_t>::max(), {},
                 [&](std::uint32_t ordinal, std::string_view) { charges.push_back(ordinal); });
  for (const auto ordinal : charges) {
    lmdb_remove(transaction, tables.metadata, ordinal_key(project, ordinal));
    lmdb_remove(transaction, tables.metadata_by_customer, customer_prefix(customer) + big_endian32(ordinal));
  }
}

domain::Metadata read_metadata(MDB_txn* transaction, const ViewTables& tables,
                               const domain::ProjectId& project, std::uint32_t ordinal) {
  const auto row = eventstore::lmdb_get(transaction, tables.metadata, ordinal_key(project, ordinal));
  return row ? decode_metadata_row(*row) : domain::Metadata();
}

std::optional<std::vector<std::uint32_t>> charges_with_metadata(
    MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project, OrdinalRange range,
    const std::optional<domain::CustomerId>& customer, const std::vector<domain::MetadataEntry>& wanted,
    std::size_t rows_max, const WorkCheck& check) {
  std::vector<std::uint32_t> found;
  const auto take = [&](std::uint32_t ordinal, std::string_view row) {
    if (has_all(row, wanted)) found.push_back(ordinal);
  };
  eventstore::LmdbCursor rows(transaction, tables.metadata);
  const auto look_up = [&](std::uint32_t ordinal, std::string_view) {
    if (const auto row = rows.find(ordinal_key(project, ordinal))) take(ordinal, *row);
  };
  const bool all_seen = customer ? visit_ordinals(transaction, tables.metadata_by_customer,
                                                  customer_prefix(*customer), range, rows_max, check, look_up)
                                 : visit_ordinals(transaction, tables.metadata, ordinal_key_prefix(project),
                                                  range, rows_max, check, take);
  if (!all_seen) return std::nullopt;
  return found;
}

}  // namespace pixledger::projections
