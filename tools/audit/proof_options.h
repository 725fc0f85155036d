#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/proof/checkpoint.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Opens a checkpoint with a key; nothing when the key has not signed it.
using CheckpointOpener = std::function<std::optional<eventstore::Checkpoint>(std::string_view note)>;

// `given` is a verifier line, or a file with one. Throws UsageError when it is neither.
CheckpointOpener opener_with(const std::string& given);

// With the key in the data directory, whatever ledger the checkpoint names.
CheckpointOpener opener_with_keys(const CommandContext& context);

}  // namespace pixledger::tools
