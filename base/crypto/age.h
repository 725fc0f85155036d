#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/clock_and_entropy.h"

// Files in age's binary format (https://age-encryption.org/v1), encrypted to X25519 keys alone. `age` opens
// what this writes, and the other way round.
namespace pixledger {

// A file cannot be opened, or its keys cannot be used. what() is a sentence without its subject ("is damaged
// or cut short"), which is the file's name; it repeats nothing of the content.
class AgeError : public std::runtime_error {
 public:
  // A missing, wrong or unsupported key / a file that was changed, cut short or never one of age.
  enum class Cause { kKey, kDamaged };

  AgeError(Cause cause, const std::string& problem) : std::runtime_error(problem), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// Bytes of a secret, wiped on destruction.
struct AgeSecret {
  explicit AgeSecret(std::string secret) : bytes(std::move(secret)) {}
  AgeSecret(const AgeSecret&) = default;
  AgeSecret& operator=(const AgeSecret&) = delete;
  ~AgeSecret();

  std::string bytes;
};

// A public key: "age1…".
struct AgeRecipient {
  static constexpr std::string_view kRule =
      "must be a public key of age-keygen (age1…); ssh keys, plugins and pass phrases are not supported";

  static std::optional<AgeRecipient> parse(std::string_view text);

  std::string key;  // 32 bytes (RFC 7748)
};

// A key pair.
struct AgeIdentity {
  AgeSecret key;  // 32 bytes
  AgeRecipient recipient;
};

// The keys of a file of age-keygen: "AGE-SECRET-KEY-1…", one a line, with comments and empty lines. At least
// one. Throws AgeError.
std::vector<AgeIdentity> parse_age_identities(std::string_view content);

// The encryption of one plaintext, with a key of its own. Gives any range of the file, as often as needed.
// Must not serve two plaintexts: they would share nonces. Const functions are thread-safe.
class AgeEncryption {
 public:
  static constexpr std::size_t kRecipientsMax = 64;

  // Each of the 1 to kRecipientsMax recipients (asserted) can open the file. Throws AgeError for a key that
  // would make the secret known.
  AgeEncryption(const std::vector<AgeRecipient>& recipients, Entropy& entropy);

  // The size of the file for that much plaintext.
  std::uint64_t file_bytes(std::uint64_t plain_bytes) const;

  // Returns `length` bytes of the plaintext from `offset` on.
  using Read = std::function<std::string(std::uint64_t offset, std::size_t length)>;
  // Returns `length` bytes of the file from `offset` on, all of which must be within it. Reads the plaintext
  // in parts of at most 64 KiB.
  std::string range(std::uint64_t plain_bytes, std::uint64_t offset, std::size_t length,
                    const Read& read) const;

 private:
  AgeEncryption(const AgeSecret& file_key, const std::vector<AgeRecipient>& recipients, Entropy& entropy);

  const std::string head_;  // the header, then the payload's nonce
  const AgeSecret payload_key_;
};

// Decrypts one file from its beginning to its end. Not thread-safe.
class AgeDecryption {
 public:
  // The identities must outlive it.
  explicit AgeDecryption(const std::vector<AgeIdentity>& identities) : identities_(identities) {}

  // Takes the file's next bytes. Returns the plaintext that is certain by now, which may be empty. Throws
  // AgeError.
  std::string update(std::string_view bytes);
  // Returns the rest; only then is the plaintext complete. Throws AgeError.
  std::string finish();

 private:
  bool read_head();
  std::string open(bool is_last, std::string_view sealed);

  const std::vector<AgeIdentity>& identities_;
  std::string buffer_;
  std::optional<AgeSecret> payload_key_;  // once the header was read
  std::uint64_t chunk_ = 0;
};

// Both for what fits in memory. The first has the preconditions of AgeEncryption; the second throws AgeError.
std::string age_encrypt(std::string_view plain, const std::vector<AgeRecipient>& recipients,
                        Entropy& entropy);
std::string age_decrypt(std::string_view file, const std::vector<AgeIdentity>& identities);

}  // namespace pixledger
