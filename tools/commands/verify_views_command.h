#pragma once

#include "tools/cli/command_context.h"

namespace pixledger::tools {

// `pixledger projections verify`; returns the exit code.
int verify_projections(const CommandContext& context);

}  // namespace pixledger::tools
