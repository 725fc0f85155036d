#pragma once

#include "tools/audit/finding.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Tells on stdout whether the ledger, the checkpoint, an erasure or the read models are at fault, why, and
// what to do about it; returns kExitNo.
int say_found(const CommandContext& context, const Finding& finding);

}  // namespace pixledger::tools
