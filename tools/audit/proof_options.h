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

// Whose checkpoints a verifier line opens: a ledger that was restored has the same key, and another epoch.
enum class Epochs { kThatOne, kAll };

// `given` is a verifier line, or a file with one. Throws UsageError when it is neither.
CheckpointOpener opener_with(const std::string& given, Epochs epochs = Epochs::kThatOne);

// With the key in the data directory, whatever ledger the checkpoint names.
CheckpointOpener opener_with_keys(const CommandContext& context);

}  // namespace pixledger::tools
