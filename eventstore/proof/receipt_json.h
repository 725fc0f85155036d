#pragma once

#include "base/platform/json.h"
#include "eventstore/proof/receipt.h"

namespace pixledger::eventstore {

// A receipt as `prove` and the API give it, and `check-proof` takes it:
//   {"transactionId", "checkpoint",
//    "events": [{"position", "leaf", "personal", "proof": […], "event": {…}}]}
// `leaf` is what is hashed into the Merkle tree: the stored envelope and the SHA-256 of the personal bytes.
// `personal` is null where there are none, or where they have been erased. Both, and the hashes of `proof`
// from the leaf up, are base64. `event` says the same for people; who checks a receipt goes by the bytes.
void write_receipt(Json& json, const Receipt& receipt);

}  // namespace pixledger::eventstore
