#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/audit/proof_options.h"
#include "tools/audit/receipt_file.h"

// Files that hold a state of a ledger that its key has signed, and whether one is a later state of the same
// history than another: what an auditor can tell without the ledger.
namespace pixledger::tools {

// What such a file holds. Throws UsageError when it cannot be read, or is longer than any receipt.
std::string read_signed_file(const std::string& path);

// A receipt (receipt_file.h) or a checkpoint: a signed note, what write_checkpoint makes, or a whole answer
// of the API with that as its `data`. Any bytes are safe.
CheckedFile check_signed_file(std::string_view text, const CheckpointOpener& open);

// The signed note in the text of such a file, which is at `path`. Throws UsageError where there is none.
std::string note_in(std::string_view text, const std::string& path);

// Why a state does not continue an earlier one.
struct Discontinuity {
  // Whether the two prove that their ledger has had two histories, which takes the ledger's key.
  enum class Proves {
    kNothing,
    kTwoHistories,
    kTwoHistoriesOrWrongConsistency,  // the proof of consistency may be the one that is wrong
  };
  std::string problem;
  Proves proves = Proves::kNothing;
};

// Why `newer` is no later state of what `older` is a state of, both good; none: it continues it.
// `consistency` is what write_consistency makes for their sizes, or a whole answer of the API with that as
// its `data`; it may be left out where both are of one size. Two receipts of one charge must agree besides:
// who leaves out what had happened by the older one is found. Any bytes are safe.
std::optional<Discontinuity> problem_of_continuation(const CheckedFile& older, const CheckedFile& newer,
                                                     const std::optional<std::string>& consistency);

}  // namespace pixledger::tools
