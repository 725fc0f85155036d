#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "tools/audit/finding.h"
#include "tools/audit/verifier.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Tells on stdout which part is at fault, why, and what to do about it; returns kExitNo. `continues`: for how
// many events a checkpoint was signed that the ledger continues, where it was compared with one. `evidence`:
// where that lies which proves two histories.
int say_found(const CommandContext& context, const Finding& finding,
              std::optional<std::uint64_t> continues = std::nullopt,
              const std::optional<std::filesystem::path>& evidence = std::nullopt);

// What became of the comparison of a node's copy with PostgreSQL's rows.
enum class SharedRows {
  kNone,  // there are none to compare: the ledger is of this machine alone, or nobody asked for it
  kNotCompared,
  kEqual,
};

// What `pixledger verify` found sound.
struct VerifyReport {
  const Verification& result;
  const VerifyOptions& options;
  bool has_read_models;
  SharedRows shared;
};
// Tells it on stdout, as text or JSON.
void tell_verified(const CommandContext& context, const VerifyReport& report);

// Tells on stderr of read models that were not what the ledger said when they were replaced: what is
// consistent now may have been rewritten then.
void tell_of_kept(const CommandContext& context);

}  // namespace pixledger::tools
