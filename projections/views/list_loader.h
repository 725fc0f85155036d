#pragma once

#include <filesystem>

#include "eventstore/log/log.h"
#include "projections/list/project_lists.h"
#include "projections/views/view_cursor.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {

// The rows to go by, in one read transaction.
struct ViewRead {
  const ViewTables& tables;
  MDB_txn* transaction;
};

// The lists as of `cursor`, which is that of the rows: from the snapshot in `file` and the log's events after
// it, or, when there is none that this log and these rows agree with, from the rows alone.
ProjectLists load_lists(const std::filesystem::path& file, const ViewRead& rows, const ViewCursor& cursor,
                        const eventstore::Log& log);

}  // namespace pixledger::projections
