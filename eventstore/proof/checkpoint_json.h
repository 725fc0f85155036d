#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/platform/json.h"
#include "eventstore/proof/checkpoint.h"

// Checkpoints and what relates two of them, as the API and the command line give them and `check-proof` takes
// them.

namespace pixledger::eventstore {

// {"origin", "size", "rootHash" (hex), "checkpoint" (the signed note, which says the other three)}
void write_checkpoint(Json& json, const Checkpoint& checkpoint, const std::string& note);

// {"from", "to", "proof": [base64 of 32 bytes, …], "checkpoint" (a signed note)}: what consistency_proof
// gives for those two sizes, and the newest checkpoint at that time.
void write_consistency(Json& json, std::uint64_t from, std::uint64_t to, std::span<const Digest> proof,
                       const std::string& note);

}  // namespace pixledger::eventstore
