#pragma once

#include "tools/tool.h"

namespace pixledger::tools {

// `pixledger projections verify`; returns the exit code.
int verify_projections(const Tool& tool);

}  // namespace pixledger::tools
