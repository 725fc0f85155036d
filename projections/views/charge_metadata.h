#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/aggregates/charge.h"
#include "projections/list/list_query.h"
#include "projections/views/view_tables.h"

// The metadata of charges: rows of their own beside the charges', so that a customer's erasure finds all of
// theirs, and a filter reads nothing else.
namespace pixledger::projections {

void put_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ChargeCreated& charge,
                  std::uint32_t ordinal);
// Of all charges of the customer, who is erased.
void remove_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project,
                     const domain::CustomerId& customer);
// None where there is no row. Throws ViewsDamaged.
domain::Metadata read_metadata(MDB_txn* transaction, const ViewTables& tables,
                               const domain::ProjectId& project, std::uint32_t ordinal);

// The charges of `range` that have all of `wanted`, whose keys differ, in no order; with `customer` only
// theirs. Nullopt when those of them that have metadata are more than `rows_max`.
std::optional<std::vector<std::uint32_t>> charges_with_metadata(
    MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project, OrdinalRange range,
    const std::optional<domain::CustomerId>& customer, const std::vector<domain::MetadataEntry>& wanted,
    std::size_t rows_max, const WorkCheck& check = {});

}  // namespace pixledger::projections
