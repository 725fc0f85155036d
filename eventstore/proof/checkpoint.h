#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/platform/json.h"
#include "base/platform/sha256.h"
#include "domain/values/stream_name.h"
#include "eventstore/keys/ed25519.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/signed_note.h"

// The signed tree head of a log, as C2SP tlog-checkpoint defines it: a signed note of three lines, the
// origin, the number of leaves and the root's hash in base64. The key has the origin's name. A fourth line
// states the purpose: "stream <name> <number of events>" in a receipt's checkpoint, "stream - 0" in any
// other, so that one cannot replace the other. Checkpoints of 0.1.0 have no such line.

namespace pixledger::eventstore {

// How many events a stream has in a tree. The tree, in order of positions, does not prove it. The key's
// holder states it, and anyone with the whole log can refute a false statement.
struct StreamLength {
  domain::StreamName stream;
  std::uint32_t events = 0;

  friend bool operator==(const StreamLength&, const StreamLength&) = default;
};

struct Checkpoint {
  std::string origin;
  std::uint64_t size = 0;
  Digest root{};
  bool states_streams = false;           // whether it has the fourth line
  std::optional<StreamLength> stream{};  // as of `size`; only in a receipt's, where states_streams is set

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// "pixledger/<ledger id>/<epoch>": a restored ledger is another log, since its history may differ from the
// old one's.
std::string origin_of(const LogIdentity& identity);
std::optional<LogIdentity> identity_of_origin(std::string_view origin);

// The note's text. Lines after the third are accepted and ignored, except the one about streams: another form
// of it, or a second one, is rejected.
std::string checkpoint_text(const Checkpoint& checkpoint);
std::optional<Checkpoint> parse_checkpoint_text(std::string_view text);

// The whole note.
std::string sign_checkpoint(const Checkpoint& checkpoint, const Ed25519Key& key);

// Returns nullopt unless the key signed it and the origin is the key's name. Any input is safe.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const NoteVerifier& verifier);
// The same for callers that have only the key: accepts any origin.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const Ed25519PublicKey& key);

// For everything committed by now; states no stream's length.
Checkpoint checkpoint_of(const Log& log);

// Checkpoints and consistency proofs, as the API and the command line write them and `check-proof` reads
// them.

// {"origin", "size", "rootHash" (hex), "checkpoint" (the signed note, which contains the other three)}
void write_checkpoint(Json& json, const Checkpoint& checkpoint, const std::string& note);

// {"from", "to", "proof": [base64 of 32 bytes, …], "checkpoint" (a signed note)}: the consistency_proof for
// those two sizes, and the newest checkpoint at that time.
void write_consistency(Json& json, std::uint64_t from, std::uint64_t to, std::span<const Digest> proof,
                       const std::string& note);

}  // namespace pixledger::eventstore
