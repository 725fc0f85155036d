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

// One-time codes of an authenticator app (RFC 6238): HMAC-SHA-1, six digits, steps of thirty seconds. Every
// app supports these parameters. SHA-1 is sound as an HMAC's hash.

// 160 random bits (RFC 4226 §4, R6).
std::string new_totp_secret(Entropy& entropy);

// The URL that an app scans as a QR code: otpauth://totp/…, in Google's key URI format.
std::string totp_url(std::string_view secret, std::string_view issuer, std::string_view account);

// The current step (RFC 6238 §4.2).
std::int64_t totp_step(Timestamp now);

// The code of a step (RFC 4226 §5.3).
std::string totp_code(std::string_view secret, std::int64_t step, unsigned digits = 6);

// Returns the step that the code belongs to: the current one or a neighbour (RFC 6238 §5.2), later than
// `last_used`. nullopt if none fits. Runs in constant time.
std::optional<std::int64_t> find_totp_step(std::string_view secret, std::string_view code,
                                           std::int64_t last_used, Timestamp now);

// Bound to this user: another user's row cannot unseal it.
std::string seal_totp(const domain::UserId& user, std::string_view secret, const eventstore::Keyring& keyring,
                      Entropy& entropy);
// Throws KeyringError when the keyring cannot open it.
std::string unseal_totp(const domain::UserId& user, const std::string& sealed,
                        const eventstore::Keyring& keyring);

// Recovery codes replace the codes of a lost app; each works once. Each has 80 random bits, in base32 in
// groups of four ("ABCD-EFGH-IJKL-MNOP"). With so much entropy a plain digest protects them.

struct NewRecoveryCodes {
  std::array<std::string, stores::kRecoveryCodes> texts;
  std::array<Digest, stores::kRecoveryCodes> hashes;
};

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, Entropy& entropy);

// Hashes a code as a user typed it: case, blanks and hyphens are ignored. nullopt if it cannot be a code.
std::optional<Digest> recovery_code_hash(const domain::UserId& user, std::string_view typed);

}  // namespace pixledger::http
