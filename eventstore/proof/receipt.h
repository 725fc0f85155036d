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

// A charge's events with the proof that they are in the ledger that a checkpoint signs.

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

// Of all events of the charge that are committed by now, under a fresh checkpoint that states how many they
// are. Nothing when there is no such charge. `check` is asked before each event: what it throws gives up.
std::optional<Receipt> make_receipt(
    const Log& log, const Ed25519Key& key, const domain::ChargeId& charge,
    const std::function<void()>& check = [] {});

struct CheckedReceipt {
  std::optional<std::string> problem;         // The first thing that is wrong; none: it is good.
  std::vector<domain::RecordedEvent> events;  // When it is good.
};

// Whether the receipt's events are those of its charge, without a gap from the first on, all in the tree of
// `checkpoint`, which the caller has opened, and as many as that states. Where it states nothing (receipts of
// 0.1.0) the last events may have been left out. Any input is safe.
CheckedReceipt check_receipt(const Receipt& receipt, const Checkpoint& checkpoint);

// A receipt as `prove` and the API give it, and `check-proof` takes it:
//   {"transactionId", "checkpoint",
//    "events": [{"position", "leaf", "personal", "proof": […], "event": {…}}]}
// `leaf` is what is hashed into the Merkle tree: the stored envelope and the SHA-256 of the personal bytes.
// `personal` is null where there are none, or where they have been erased. Both, and the hashes of `proof`
// from the leaf up, are base64. `event` says the same for people; who checks a receipt goes by the bytes.
void write_receipt(Json& json, const Receipt& receipt);

}  // namespace pixledger::eventstore
