#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/keys/ed25519.h"

// Signed notes with Ed25519 signatures, as C2SP signed-note defines them: a text whose lines all end, an
// empty line, and a line for each signature. That line has an em dash, the key's name, and in base64 the
// key's id (4 bytes) and the signature.

namespace pixledger::eventstore {

inline constexpr std::size_t kNoteBytesMax = 64 * 1024;

// The name and public half of the signing key.
class NoteVerifier {
 public:
  // Parses a verifier line, "<name>+<key id in hex>+<base64 of 0x01 and the public key>". Returns nullopt for
  // another algorithm, or if the id is not the key's.
  static std::optional<NoteVerifier> parse(std::string_view line);
  // `name` is not empty and has neither white space nor a plus; asserted.
  NoteVerifier(std::string name, const Ed25519PublicKey& key);

  const std::string& name() const { return name_; }
  const Ed25519PublicKey& key() const { return key_; }
  std::string line() const;
  // The first 4 bytes of SHA-256(name ‖ 0x0a ‖ 0x01 ‖ public key).
  std::string key_id() const;

  // Returns the text of the note, with its last line feed, if this key has signed it; otherwise nullopt.
  // Ignores other keys' signatures. Any input is safe.
  std::optional<std::string> open(std::string_view note) const;

 private:
  std::string name_;
  Ed25519PublicKey key_;
};

// Returns the claimed signers of a note, unchecked. Each is the beginning of a verifier line, "<name>+<key id
// in hex>"; empty if it is no note. Any input is safe.
std::vector<std::string> named_signers(std::string_view note);

// `text` must end with a line feed and have no other control character; asserted.
std::string sign_note(std::string_view text, const std::string& name, const Ed25519Key& key);

}  // namespace pixledger::eventstore
