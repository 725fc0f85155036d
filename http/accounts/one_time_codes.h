#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// One-time codes of an authenticator app (RFC 6238): HMAC-SHA-1, six digits, thirty seconds a step, which is
// what all of them know. SHA-1 is sound as an HMAC's hash.

// 160 random bits (RFC 4226 §4, R6).
std::string new_totp_secret(Entropy& entropy);

// What an app is told it by, as a QR code: otpauth://totp/…, of Google's key URI format.
std::string totp_url(std::string_view secret, std::string_view issuer, std::string_view account);

// The step whose time it is (RFC 6238 §4.2).
std::int64_t totp_step(Timestamp now);

// The code of a step (RFC 4226 §5.3), with so many digits.
std::string totp_code(std::string_view secret, std::int64_t step, unsigned digits = 6);

// The step that the code is of: the one whose time it is, or one beside it (RFC 6238 §5.2), and later than
// the last that was used. nullopt where it is of none. Takes as long whichever it is.
std::optional<std::int64_t> find_totp_step(std::string_view secret, std::string_view code,
                                           std::int64_t last_used, Timestamp now);

// Sealed for this user: nobody can move it to another one.
std::string seal_totp(const domain::UserId& user, std::string_view secret, const eventstore::Keyring& keyring,
                      Entropy& entropy);
// Throws KeyringError when the keyring cannot open it.
std::string unseal_totp(const domain::UserId& user, const std::string& sealed,
                        const eventstore::Keyring& keyring);

// What stands for the one-time code of an app that is lost, each of them once: 80 random bits in base32, in
// groups of four ("ABCD-EFGH-IJKL-MNOP"), so many that their plain digest tells nobody which they are.

struct NewRecoveryCodes {
  std::array<std::string, stores::kRecoveryCodes> texts;
  std::array<Digest, stores::kRecoveryCodes> hashes;
};

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, Entropy& entropy);

// Of what somebody typed: case, blanks and hyphens do not matter. nullopt where it cannot be one.
std::optional<Digest> recovery_code_hash(const domain::UserId& user, std::string_view typed);

}  // namespace pixledger::http
