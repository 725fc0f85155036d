#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log.h"
#include "projections/list/project_lists.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {

// Rows to read, in one read transaction.
struct ViewRead {
  const ViewTables& tables;
  MDB_txn* transaction;
};

// Loads the lists as of `cursor`, which is the rows' cursor. Reads the snapshot in `file` and the log's
// events after it. If no snapshot agrees with this log and these rows, reads the rows alone.
ProjectLists load_lists(const std::filesystem::path& file, const ViewRead& rows, const ViewCursor& cursor,
                        const eventstore::Log& log);

// Returns which project differs between two sets of lists, or that the projects themselves differ; nullopt if
// they are equal. Writes both to `scratch`, a directory of the caller's, to compare them.
std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const std::filesystem::path& scratch);

}  // namespace pixledger::projections
