#pragma once

#include "tools/cli/command_context.h"

namespace pixledger::tools {

// `pixledger projections rebuild`; returns the exit code.
int rebuild_projections(const CommandContext& context);

}  // namespace pixledger::tools
