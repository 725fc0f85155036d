#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "tools/audit/finding.h"
#include "tools/audit/verifier.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Prints the damaged part, the reason and the remedy on stdout; returns kExitNo. `continues` is the size of a
// signed checkpoint that the ledger continues, if one was compared. `evidence` is the location of proof of
// two histories.
int say_found(const CommandContext& context, const Finding& finding,
              std::optional<std::uint64_t> continues = std::nullopt,
              const std::optional<std::filesystem::path>& evidence = std::nullopt);

// Result of comparing a node's copy with PostgreSQL's rows.
enum class SharedRows {
  kNone,  // nothing to compare: a ledger of one machine, or not requested
  kNotCompared,
  kEqual,
};

// The sound results of `pixledger verify`.
struct VerifyReport {
  const Verification& result;
  const VerifyOptions& options;
  bool has_read_models;
  SharedRows shared;
};
// Prints it on stdout, as text or JSON.
void tell_verified(const CommandContext& context, const VerifyReport& report);

// Warns on stderr about kept read models that disagreed with the ledger when they were replaced: the
// consistent data of now may have been rewritten then.
void tell_of_kept(const CommandContext& context);

}  // namespace pixledger::tools
