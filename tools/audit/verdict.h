#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "tools/audit/finding.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Tells on stdout which part is at fault, why, and what to do about it; returns kExitNo. `continues`: for how
// many events a checkpoint was signed that the ledger continues, where it was compared with one. `evidence`:
// where that lies which proves two histories.
int say_found(const CommandContext& context, const Finding& finding,
              std::optional<std::uint64_t> continues = std::nullopt,
              const std::optional<std::filesystem::path>& evidence = std::nullopt);

}  // namespace pixledger::tools
