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
// tells what the checkpoint is good for besides: "stream <name> <number of events>" in that of a receipt, and
// "stream - 0" in any other, so that nobody can put one in place of the other. Those of 0.1.0 have no such
// line.

namespace pixledger::eventstore {

// How many events a stream has in a tree. The tree does not prove it, since it is in the order of positions:
// it is what the key's holder states, who can be held to it by anybody who has the whole log.
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
  std::optional<StreamLength> stream{};  // as of `size`; in a receipt's, which then states_streams

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// "pixledger/<ledger id>/<epoch>": a restored ledger is another log, since it may leave the old one's way.
std::string origin_of(const LogIdentity& identity);
std::optional<LogIdentity> identity_of_origin(std::string_view origin);

// The note's text. Lines that follow the third are accepted and passed over, but for the one about streams:
// another form of it, or a second one, is refused.
std::string checkpoint_text(const Checkpoint& checkpoint);
std::optional<Checkpoint> parse_checkpoint_text(std::string_view text);

// The whole note.
std::string sign_checkpoint(const Checkpoint& checkpoint, const Ed25519Key& key);

// Nothing unless the key signed it and the origin is the key's name. Any input is safe.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const NoteVerifier& verifier);
// The same for who has the key alone: whatever origin the note names.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const Ed25519PublicKey& key);

// Of everything that is committed by now; states no stream's length.
Checkpoint checkpoint_of(const Log& log);

// Checkpoints and what relates two of them, as the API and the command line give them and `check-proof` takes
// them.

// {"origin", "size", "rootHash" (hex), "checkpoint" (the signed note, which says the other three)}
void write_checkpoint(Json& json, const Checkpoint& checkpoint, const std::string& note);

// {"from", "to", "proof": [base64 of 32 bytes, …], "checkpoint" (a signed note)}: what consistency_proof
// gives for those two sizes, and the newest checkpoint at that time.
void write_consistency(Json& json, std::uint64_t from, std::uint64_t to, std::span<const Digest> proof,
                       const std::string& note);

}  // namespace pixledger::eventstore
