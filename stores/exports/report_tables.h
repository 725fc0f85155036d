#pragma once

#include "stores/exports/table.h"

// The columns of what is counted, not exported row by row.
namespace pixledger::stores {

// Charges by day, environment, connection and status; and money that is to be settled, as statuses of its
// own.
const Table& report_table();

// A month's money by day, environment and connection.
const Table& statement_table();

}  // namespace pixledger::stores
