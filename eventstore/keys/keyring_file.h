#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/entropy.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/aes_gcm.h"

// The bytes of the file DATA/keys/keyring, frozen. Lines that end with a line feed:
//
//   pixledger keyring 1
//   <id> <kind> <created at> <wrapped>       a line for each key, the oldest first
//   end <code>
//
// id          16 lower-case hex characters
// kind        "data" (seals secrets), "hmac" (makes names of documents) or "sign" (signs checkpoints). A
//             release that meets another kind refuses the file, as it refuses another number in the first
//             line
// created at  milliseconds since 1970-01-01T00:00:00Z
// wrapped     in lower-case hex: 12 bytes of nonce, then 32 bytes of key and 16 of tag, sealed with
//             AES-256-GCM under the master key with "<id> <kind>" as associated data
// code        in lower-case hex: HMAC-SHA-256 of all lines before, so that no line can go missing. Its key
//             is HMAC-SHA-256(master key, "pixledger keyring end")

namespace pixledger::eventstore {

enum class KeyKind { kData, kHmac, kSign };

struct KeyringEntry {
  std::string id;
  KeyKind kind;
  Timestamp created_at;
  Key256 key;
};

KeyringEntry make_keyring_entry(KeyKind kind, Timestamp now, Entropy& entropy);

std::string write_keyring_file(const std::vector<KeyringEntry>& entries, const Key256& master,
                               Entropy& entropy);

// Nothing unless this master key wrote the text and no byte of it changed since. Throws KeyringError, whose
// message begins with `name`, when a newer release wrote it.
std::optional<std::vector<KeyringEntry>> read_keyring_file(std::string_view text, const Key256& master,
                                                           const std::string& name);

}  // namespace pixledger::eventstore
