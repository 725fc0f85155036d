#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/checkpoint.h"

// A charge's events, with the proof that they are in the ledger of a signed checkpoint.

namespace pixledger::eventstore {

struct ProvenEvent {
  StoredEvent stored;         // Its personal bytes may be left out: the leaf holds their digest.
  std::vector<Digest> proof;  // Of inclusion in the tree of the checkpoint, from the leaf up.
};

struct Receipt {
  domain::ChargeId charge;
  std::string checkpoint;           // The signed note.
  std::vector<ProvenEvent> events;  // In the order of their stream.
};

// Makes the receipt of all events of the charge committed by now, under a fresh checkpoint that states their
// number. Returns nullopt if there is no such charge. Calls `check` before each event; an exception from it
// ends the call.
std::optional<Receipt> make_receipt(
    const Log& log, const Ed25519Key& key, const domain::ChargeId& charge,
    const std::function<void()>& check = [] {});

struct CheckedReceipt {
  std::optional<std::string> problem;         // The first problem; nullopt: the receipt is good.
  std::vector<domain::RecordedEvent> events;  // Empty unless it is good.
};

// Checks that the receipt's events are those of its charge, without a gap from the first on, all in the tree
// of `checkpoint`, and as many as that states. The caller has opened the checkpoint. If it states no number
// (receipts of 0.1.0), the last events may be missing. Any input is safe.
CheckedReceipt check_receipt(const Receipt& receipt, const Checkpoint& checkpoint);

// A receipt as `prove` and the API write it, and `check-proof` reads it:
//   {"transactionId", "checkpoint",
//    "events": [{"position", "leaf", "personal", "proof": […], "event": {…}}]}
// `leaf` is the Merkle tree's leaf: the stored envelope and the SHA-256 of the personal bytes. `personal` is
// null if there are none or they were erased. Both, and the hashes of `proof` from the leaf up, are base64.
// `event` shows the same to people; a check must use the bytes.
void write_receipt(Json& json, const Receipt& receipt);

}  // namespace pixledger::eventstore
