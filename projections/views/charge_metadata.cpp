#include "projections/views/charge_metadata.h"

#include <algorithm>

#include "projections/storage/damage.h"
#include "projections/storage/lmdb_remove.h"
#include "projections/views/byte_stream.h"
#include "projections/views/row_codec.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kOrdinalBytes = 4;

std::string customer_prefix(const domain::CustomerId& customer) { return customer.text() + '\0'; }

std::uint32_t ordinal_in(std::string_view key) {
  if (key.size() < kOrdinalBytes) throw ViewsDamaged("a row of the read models has too short a key");
  return static_cast<std::uint32_t>(eventstore::from_big_endian(key.substr(key.size() - kOrdinalBytes)));
}

// Calls `visit` with the ordinal of each of the customer's charges that have metadata, until it says false.
template <class Visit>
void for_each_charge_of(MDB_txn* transaction, const ViewTables& tables, const domain::CustomerId& customer,
                        Visit visit) {
  const auto prefix = customer_prefix(customer);
  eventstore::LmdbCursor cursor(transaction, tables.metadata_by_customer);
  for (bool found = cursor.seek(prefix); found && cursor.key().substr(0, prefix.size()) == prefix;
       found = cursor.move(MDB_NEXT))
    if (!visit(ordinal_in(cursor.key()))) return;
}

// Reads the row in place: there may be many.
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
                       customer_prefix(charge.customer) + eventstore::big_endian32(ordinal), "");
}

void remove_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project,
                     const domain::CustomerId& customer) {
  std::vector<std::uint32_t> charges;
  for_each_charge_of(transaction, tables, customer, [&](std::uint32_t ordinal) {
    charges.push_back(ordinal);
    return true;
  });
  for (const auto ordinal : charges) {
    lmdb_remove(transaction, tables.metadata, ordinal_key(project, ordinal));
    lmdb_remove(transaction, tables.metadata_by_customer,
                customer_prefix(customer) + eventstore::big_endian32(ordinal));
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
  std::size_t rows = 0;
  eventstore::LmdbCursor cursor(transaction, tables.metadata);
  if (customer) {
    for_each_charge_of(transaction, tables, *customer, [&](std::uint32_t ordinal) {
      check.look_at_row(rows);
      const auto row = cursor.find(ordinal_key(project, ordinal));
      if (range.contains(ordinal) && row && has_all(*row, wanted)) found.push_back(ordinal);
      return ++rows <= rows_max;
    });
  } else {
    const auto end = ordinal_key(project, range.last);
    for (bool more = cursor.seek(ordinal_key(project, range.first)); more && cursor.key() < end;
         more = cursor.move(MDB_NEXT)) {
      check.look_at_row(rows);
      if (++rows > rows_max) break;
      if (has_all(cursor.value(), wanted)) found.push_back(ordinal_in(cursor.key()));
    }
  }
  if (rows > rows_max) return std::nullopt;
  return found;
}

}  // namespace pixledger::projections
