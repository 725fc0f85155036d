#pragma once

namespace pixledger::tools {

// LMDB trusts its pages, so a damaged file may crash whoever reads it. From here on such a crash of this
// process is an error on stderr and the exit code of a fault; what was printed before may be cut off.
void end_crashes_as_faults();

}  // namespace pixledger::tools
