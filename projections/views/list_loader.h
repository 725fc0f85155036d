#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log.h"
#include "projections/list/project_lists.h"
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

// Of which project two sets of lists differ, or that they are of other projects; nothing when they are equal.
// Writes them to `scratch`, a directory of the caller's, to compare them.
std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const std::filesystem::path& scratch);

}  // namespace pixledger::projections
