#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/aggregates/charge.h"
#include "projections/list/list_query.h"
#include "projections/views/view_tables.h"

// The metadata of charges. Its rows are separate from the charges' rows, so that erasing a customer finds
// them all and a filter reads nothing else.
namespace pixledger::projections {

void put_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ChargeCreated& charge,
                  std::uint32_t ordinal);
// Removes the metadata of all charges of an erased customer.
void remove_metadata(MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project,
                     const domain::CustomerId& customer);
// Empty if there is no row. Throws DataDamaged.
domain::Metadata read_metadata(MDB_txn* transaction, const ViewTables& tables,
                               const domain::ProjectId& project, std::uint32_t ordinal);

// Returns the charges of `range` that have all of `wanted`, whose keys are distinct, unordered; with
// `customer`, only that customer's. Nullopt if more than `rows_max` candidates have metadata.
std::optional<std::vector<std::uint32_t>> charges_with_metadata(
    MDB_txn* transaction, const ViewTables& tables, const domain::ProjectId& project, OrdinalRange range,
    const std::optional<domain::CustomerId>& customer, const std::vector<domain::MetadataEntry>& wanted,
    std::size_t rows_max, const WorkCheck& check = {});

}  // namespace pixledger::projections
