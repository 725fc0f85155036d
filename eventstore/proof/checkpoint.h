#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/keys/ed25519.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/sha256.h"
#include "eventstore/proof/signed_note.h"

// The signed tree head of a log, as C2SP tlog-checkpoint defines it: a signed note of three lines, the
// origin, the number of leaves and the root's hash in base64. The key has the origin's name.

namespace pixledger::eventstore {

struct Checkpoint {
  std::string origin;
  std::uint64_t size = 0;
  Digest root{};

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// "pixledger/<ledger id>/<epoch>": a restored ledger is another log, since it may leave the old one's way.
std::string origin_of(const LogIdentity& identity);
std::optional<LogIdentity> identity_of_origin(std::string_view origin);

// The note's text. Lines that follow the third are accepted and passed over.
std::string checkpoint_text(const Checkpoint& checkpoint);
std::optional<Checkpoint> parse_checkpoint_text(std::string_view text);

// The whole note.
std::string sign_checkpoint(const Checkpoint& checkpoint, const Ed25519Key& key);

// Nothing unless the key signed it and the origin is the key's name. Any input is safe.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const NoteVerifier& verifier);
// The same for who has the key alone: whatever origin the note names.
std::optional<Checkpoint> open_checkpoint(std::string_view note, const Ed25519PublicKey& key);

// Of everything that is committed by now.
Checkpoint checkpoint_of(const Log& log);

}  // namespace pixledger::eventstore
