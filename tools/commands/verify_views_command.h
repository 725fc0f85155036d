#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tools/audit/view_verification.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// The read models that a server would open; nullopt when there are none.
std::optional<std::filesystem::path> find_read_models(const CommandContext& context,
                                                      const eventstore::Log& log);

// verify_read_models with those, shown on a terminal. `scratch` is a directory.
std::optional<ViewVerification> compare_read_models(const CommandContext& context, const eventstore::Log& log,
                                                    const std::string& scratch);

// `pixledger projections verify`; returns the exit code.
int verify_projections(const CommandContext& context);

}  // namespace pixledger::tools
