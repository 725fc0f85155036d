#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projections/list/list_snapshot.h"

namespace pixledger::projections {

// Of which project two sets of lists differ, or that they are of other projects; nothing when they are equal.
// Writes them to `scratch`, a directory of the caller's, to compare them.
std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const std::filesystem::path& scratch);

}  // namespace pixledger::projections
