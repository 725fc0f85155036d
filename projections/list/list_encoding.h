#pragma once

#include "base/platform/checked_file.h"
#include "projections/list/list_version.h"

namespace pixledger::projections {

// Columns as they lie in memory. Chains and amount zones are not written, since reading makes them anew.
void write_list(CheckedFileWriter& out, const ListVersion& version);

// Throws DamagedFile at anything that no list can hold, so that whoever uses the list need not check again.
ListVersion read_list(CheckedFileReader& in);

}  // namespace pixledger::projections
