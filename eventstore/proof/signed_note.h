#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/keys/ed25519.h"

// Signed notes with Ed25519 signatures, as C2SP signed-note defines them: a text whose lines all end, an
// empty line, and a line for each signature: an em dash, the key's name, and in base64 the key's id (4
// bytes) and the signature.

namespace pixledger::eventstore {

inline constexpr std::size_t kNoteBytesMax = 64 * 1024;

// The name and public half of the key that signs.
class NoteVerifier {
 public:
  // The verifier line, "<name>+<key id in hex>+<base64 of 0x01 and the public key>". Nothing for another
  // algorithm, or when the id is not that of the key.
  static std::optional<NoteVerifier> parse(std::string_view line);
  // `name` is not empty and has neither white space nor a plus; asserted.
  NoteVerifier(std::string name, const Ed25519PublicKey& key);

  const std::string& name() const { return name_; }
  const Ed25519PublicKey& key() const { return key_; }
  std::string line() const;
  // SHA-256(name ‖ 0x0a ‖ 0x01 ‖ public key), its first 4 bytes.
  std::string key_id() const;

  // The text of the note, with its last line feed, when this key has signed it. Nothing for anything else;
  // any input is safe. Other keys' signatures are passed over.
  std::optional<std::string> open(std::string_view note) const;

 private:
  std::string name_;
  Ed25519PublicKey key_;
};

// Whose signatures a note has, by its own word: nothing is checked. Each is how a verifier line begins,
// "<name>+<key id in hex>"; empty for what is no note. Any input is safe.
std::vector<std::string> named_signers(std::string_view note);

// `text` ends with a line feed and holds no other control character; asserted.
std::string sign_note(std::string_view text, const std::string& name, const Ed25519Key& key);

}  // namespace pixledger::eventstore
