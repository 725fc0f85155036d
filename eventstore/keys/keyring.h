#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/ed25519.h"
#include "eventstore/keys/keyring_file.h"

namespace pixledger::eventstore {

// A secret sealed with AES-256-GCM under a data key.
struct Sealed {
  // The id of the data key: 16 lower-case hex characters.
  std::string data_key_id;
  // 12 random bytes.
  std::string nonce;
  // As long as the secret, and 16 bytes of tag.
  std::string ciphertext_and_tag;

  // The stored form, frozen: 0x01, the 8 bytes of the key's id, the nonce, the ciphertext, the tag.
  std::string to_bytes() const;
  static std::optional<Sealed> from_bytes(std::string_view bytes);

  bool operator==(const Sealed&) const = default;
};

// The keys of one data directory, in DATA/keys:
//
//   master.key   32 random bytes in hex; wraps the keys below and nothing else
//   keyring      the keys, each wrapped by the master key; keyring_file.h defines the format
//
// The directory has mode 0700 and the files 0600; anything that lets others in is refused. Lose them and
// neither sealed secrets nor the names made of documents come back.
//
// A Keyring keeps the unwrapped keys in memory and wipes them when it goes. Const member functions are safe
// to call from several threads at once.
class Keyring {
 public:
  // Makes the directory, where it is missing (its parent must be there), and new keys. Throws KeyringError
  // when there are keys already, std::system_error when the files cannot be written. The keys are durable on
  // return.
  static void create(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now);

  // Throws KeyringError, std::system_error when a file cannot be read.
  static Keyring open(const std::filesystem::path& keys_dir);

  // Makes the key that signs checkpoints, durably, in keys of a release that knew of none. Does nothing
  // where there is one. Errors as in open and create.
  static void ensure_signing_key(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now);

  // Makes a new master key and wraps the same keys with it, so what was sealed stays readable and open
  // Keyrings stay right. A crash at any moment leaves keys that open. Errors as in open and create.
  static void rotate_master_key(const std::filesystem::path& keys_dir, Entropy& entropy);

  Keyring(Keyring&&) noexcept;
  Keyring& operator=(Keyring&&) noexcept;
  ~Keyring();

  // Seals with the newest data key. `associated` is not kept: the same bytes must be given to unseal, so say
  // where the secret belongs (nobody can then move it elsewhere). Nonces are random: good for 2^32 secrets a
  // data key.
  Sealed seal(std::string_view secret, std::string_view associated, Entropy& entropy) const;

  // Throws KeyringError when the keyring does not have the data key, or when the bytes or `associated` are
  // not what was sealed.
  std::string unseal(const Sealed& sealed, std::string_view associated) const;

  // A name for a document that tells nobody the document: the first 16 bytes, in 32 lower-case hex
  // characters, of HMAC-SHA-256(hmac key, project || 0x00 || document). Stays the same for as long as the
  // keyring lives.
  std::string name_of_document(std::string_view project, std::string_view document) const;

  // What a ledger keeps to know this keyring again: HMAC-SHA-256(hmac key, "pixledger ledger" || 0x00 ||
  // ledger id). Stays the same as the names do. No project id is "pixledger ledger", so it is no name.
  Digest code_of_ledger(std::string_view ledger_id) const;

  // For the ids of events: HMAC-SHA-256(hmac key, "pixledger event id" || 0x00 || purpose || 0x00 || value).
  // `purpose` has no 0x00. Stays the same as the names do; it is none, as above.
  Digest code_of_event_id(std::string_view purpose, std::string_view value) const;

  // For checkout sessions: HMAC-SHA-256(hmac key, "pixledger checkout" || 0x00 || purpose || 0x00 || value).
  // As above.
  Digest code_of_checkout(std::string_view purpose, std::string_view value) const;

  // For the challenges of people who sign in: HMAC-SHA-256(hmac key, "pixledger account" || 0x00 || purpose
  // || 0x00 || value). As above.
  Digest code_of_account(std::string_view purpose, std::string_view value) const;

  // Signs checkpoints. Throws KeyringError when these keys have none; ensure_signing_key makes it.
  const Ed25519Key& signing_key() const;

 private:
  struct Keys;
  explicit Keyring(std::unique_ptr<Keys> keys);

  std::unique_ptr<Keys> keys_;
};

}  // namespace pixledger::eventstore
