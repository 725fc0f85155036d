#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::http {

// A password as it is given: 12 to 200 characters, no control characters. Nothing else is asked of it (NIST
// SP 800-63B §5.1.1.2).
class Password {
 public:
  static constexpr std::string_view kRule = "must be 12 to 200 characters without control characters";

  static std::optional<Password> parse(std::string_view text);
  const std::string& text() const { return text_; }

 private:
  explicit Password(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Argon2id (RFC 9106) with 19 MiB, two passes and one lane, 16 bytes of salt and 32 of hash, as its reference
// implementation writes it: "$argon2id$v=19$m=19456,t=2,p=1$…". Takes some twenty milliseconds and 19 MiB:
// never on an event loop. Throws std::runtime_error where there is no memory.
std::string hash_password(const Password& password, Entropy& entropy);

// Whether the hash is of this password, which may be any text that somebody typed. Without a hash there is
// one of no password that is compared with, so that it takes as long. Throws as above, and where the hash is
// none.
bool is_password(const std::optional<std::string>& hash, std::string_view password);

// Devices on which people have signed in. A device keeps a text that only the keyring's holder can make, with
// one mark for each of the last few users. What a stranger fails from elsewhere is not counted against it
// (AttemptFrom). A mark lets nobody in: a thief of one may guess as often as the device itself.

inline constexpr std::int64_t kKnownDeviceMs =
    400LL * 24 * 60 * 60 * 1'000;  // as long as browsers keep cookies
inline constexpr std::size_t kUsersOfDeviceMax = 4;

// The name of the device for this user; nullopt where it is not known, or was 400 days ago. `marks`: as the
// device sends them, which may be anything.
std::optional<std::string> known_device(std::string_view marks, const domain::UserId& user,
                                        const eventstore::Keyring& keyring, Timestamp now);

// What the device is to keep from now on: the marks that it has and one for the user, who has signed in on
// it.
std::string remember_device(std::string_view marks, const domain::UserId& user,
                            const eventstore::Keyring& keyring, Entropy& entropy, Timestamp now);

}  // namespace pixledger::http
