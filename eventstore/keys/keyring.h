#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "domain/values/stream_name.h"
#include "eventstore/keys/ed25519.h"
#include "eventstore/keys/keyring_file.h"

namespace pixledger::eventstore {

// A secret sealed with AES-256-GCM under a data key.
struct Sealed {
  // The id of the data key: 16 lower-case hex characters.
  std::string data_key_id;
  // 12 random bytes.
  std::string nonce;
  // The ciphertext, as long as the secret, and 16 bytes of tag.
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
// The directory has mode 0700 and the files 0600; wider permissions are refused. Without the keys, sealed
// secrets and the names made of documents are lost.
//
// A Keyring keeps the unwrapped keys in memory and wipes them on destruction. Const member functions are
// thread-safe.
class Keyring {
 public:
  // Makes new keys, and the directory if it is missing (its parent must exist). Throws KeyringError if there
  // are keys already, std::system_error if the files cannot be written. The keys are durable on return.
  static void create(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now);

  // Throws KeyringError, and std::system_error if a file cannot be read.
  static Keyring open(const std::filesystem::path& keys_dir);

  // Makes the key that signs checkpoints, durably, for keys of a release that had none. Does nothing if there
  // is one. Errors as in open and create.
  static void ensure_signing_key(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now);

  // Makes a new master key and wraps the same keys with it. What was sealed stays readable, and open Keyrings
  // stay valid. After a crash at any moment the keys still open. Errors as in open and create.
  static void rotate_master_key(const std::filesystem::path& keys_dir, Entropy& entropy);

  Keyring(Keyring&&) noexcept;
  Keyring& operator=(Keyring&&) noexcept;
  ~Keyring();

  // Seals with the newest data key. `associated` is not stored: unseal() needs the same bytes. They should
  // say where the secret belongs, so that it cannot be moved elsewhere. Nonces are random: safe for 2^32
  // secrets a data key.
  Sealed seal(std::string_view secret, std::string_view associated, Entropy& entropy) const;

  // Throws KeyringError if the keyring lacks the data key, or the bytes or `associated` are not as sealed.
  std::string unseal(const Sealed& sealed, std::string_view associated) const;

  // A name that does not reveal its document: the first 16 bytes, in 32 lower-case hex characters, of
  // HMAC-SHA-256(hmac key, project || 0x00 || document). Stays the same while the keyring exists.
  std::string name_of_document(std::string_view project, std::string_view document) const;
  // The same as a customer's stream has it.
  domain::DocumentToken token_of(const domain::ProjectId& project, const domain::Document& document) const;

  // By which a ledger recognizes this keyring: HMAC-SHA-256(hmac key, "pixledger ledger" || 0x00 || ledger
  // id). As stable as the names. No project id is "pixledger ledger", so it differs from every name.
  Digest code_of_ledger(std::string_view ledger_id) const;

  // For the ids of events: HMAC-SHA-256(hmac key, "pixledger event id" || 0x00 || purpose || 0x00 || value).
  // `purpose` has no 0x00. As stable as the names, and different from them, as above.
  Digest code_of_event_id(std::string_view purpose, std::string_view value) const;

  // For checkout sessions: HMAC-SHA-256(hmac key, "pixledger checkout" || 0x00 || purpose || 0x00 || value).
  // As above.
  Digest code_of_checkout(std::string_view purpose, std::string_view value) const;

  // For the challenges of people who sign in: HMAC-SHA-256(hmac key, "pixledger account" || 0x00 || purpose
  // || 0x00 || value). As above.
  Digest code_of_account(std::string_view purpose, std::string_view value) const;

  // Signs checkpoints. Throws KeyringError if these keys have none; ensure_signing_key makes it.
  const Ed25519Key& signing_key() const;

 private:
  struct Keys;
  explicit Keyring(std::unique_ptr<Keys> keys);

  std::unique_ptr<Keys> keys_;
};

}  // namespace pixledger::eventstore
