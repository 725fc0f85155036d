#pragma once

#include "tools/tool.h"
#include "tools/verify/finding.h"

namespace pixledger::tools {

// Tells on stdout whether the ledger, the checkpoint, an erasure or the read models are at fault, why, and
// what to do about it; returns kExitNo.
int say_found(const Tool& tool, const Finding& finding);

}  // namespace pixledger::tools
