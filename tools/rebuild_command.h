#pragma once

#include "tools/tool.h"

namespace pixledger::tools {

// `pixledger projections rebuild`; returns the exit code.
int rebuild_projections(const Tool& tool);

}  // namespace pixledger::tools
