#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projections/list/list_snapshot.h"
#include "projections/views/list_loader.h"

namespace pixledger::projections {

// Whether the saved lists, brought to `cursor` as a start would, are those that the rows give. Returns how
// they differ; a snapshot that a start would not take is none. Holds both in memory, and writes them to
// `scratch`, a directory of the caller's, to compare them.
std::optional<std::string> difference_in_lists(const std::filesystem::path& file, const ViewRead& rows,
                                               const ViewCursor& cursor, const eventstore::Log& log,
                                               const std::filesystem::path& scratch);

// Of which project two sets of lists differ, or that they are of other projects; nothing when they are equal.
std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const std::filesystem::path& scratch);

}  // namespace pixledger::projections
