#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::http {

// A new password: 12 to 200 characters, no control characters. There are no other rules (NIST SP 800-63B
// §5.1.1.2).
class Password {
 public:
  static constexpr std::string_view kRule = "must be 12 to 200 characters without control characters";

  static std::optional<Password> parse(std::string_view text);
  const std::string& text() const { return text_; }

 private:
  explicit Password(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Argon2id (RFC 9106): 19 MiB, two passes, one lane, 16 bytes of salt, 32 of hash. The text is in the format
// of the reference implementation: "$argon2id$v=19$m=19456,t=2,p=1$…". Takes some twenty milliseconds and 19
// MiB: never call it on an event loop. Throws std::runtime_error if memory is short.
std::string hash_password(const Password& password, Entropy& entropy);

// Whether the hash matches the password, which may be any text. Without a hash it compares with one that no
// password has, so that the duration is the same. Throws as above, and if the hash is malformed.
bool is_password(const std::optional<std::string>& hash, std::string_view password);

// Devices on which users have signed in. A device stores a text with one mark for each of its last few users;
// only the holder of the keyring can make a mark. Failures from other devices do not count against it
// (AttemptFrom). A mark grants no access: its thief may guess as often as the device itself.

inline constexpr std::int64_t kKnownDeviceMs =
    400LL * 24 * 60 * 60 * 1'000;  // as long as browsers keep cookies
inline constexpr std::size_t kUsersOfDeviceMax = 4;

// Returns the device's name for this user; nullopt if the device is unknown or its mark is 400 days old.
// `marks`: as the device sent them, untrusted.
std::optional<std::string> known_device(std::string_view marks, const domain::UserId& user,
                                        const eventstore::Keyring& keyring, Timestamp now);

// The device's new marks after the user signed in on it: its previous ones and one for this user.
std::string remember_device(std::string_view marks, const domain::UserId& user,
                            const eventstore::Keyring& keyring, Entropy& entropy, Timestamp now);

}  // namespace pixledger::http
