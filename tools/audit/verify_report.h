#pragma once

#include "tools/audit/verifier.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

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
