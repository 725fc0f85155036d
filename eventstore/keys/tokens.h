#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "domain/aggregates/api_key.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

// The text of an API key, the secret that a merchant sends:
//
//   sk_live_ or sk_test_   what it creates
//   4 base62 characters    the log that knows the key
//   43 base62 characters   256 random bits, big-endian
//   6 base62 characters    CRC-32 (IEEE 802.3, as zlib's) of all before, big-endian, padded with zeros
//
// Base62 digits are 0-9, A-Z, a-z in this order. The checksum detects a mistyped key without a look-up; it
// proves nothing. Only the SHA-256 of the whole text is ever stored.

namespace pixledger::eventstore {

struct NewApiKey {
  std::string text;
  Digest hash;  // SHA-256 of the whole text
  domain::ApiKeyId id;
  domain::ApiKeyEnd last_four;
};

struct ParsedApiKey {
  bool live;
  std::array<char, 4> log;
};

// `log` must be four base62 characters; asserted.
NewApiKey make_api_key(bool live, std::array<char, 4> log, Entropy& entropy);

// Returns nullopt unless the text has the form of a key and its checksum is right. Only the log knows whether
// the key was issued. Case matters and surrounding space is rejected.
std::optional<ParsedApiKey> parse_api_key(std::string_view text);

// The public name of a key: the first 24 hex characters of its hash.
std::string api_key_id(const Digest& hash);

// Tokens that authenticate a user: the holder is that user. Each is a prefix and 43 base62 characters of 256
// random bits. Only the SHA-256 of the whole text is ever stored; 256 random bits need no slow hash.

inline constexpr std::string_view kSignInTokenStart = "us_";
inline constexpr std::string_view kInvitationTokenStart = "ui_";

struct NewUserToken {
  std::string text;
  Digest hash;
};

NewUserToken make_sign_in_token(Entropy& entropy);
NewUserToken make_invitation_token(Entropy& entropy);

// Checks the form only.
bool is_sign_in_token(std::string_view text);

// The address of an invitation. The token is in the fragment, so that no server logs it.
std::string invitation_url(const std::string& dashboard_url, const std::string& token);

// The token that opens a checkout session's page: its id, a point and 128 bits of a code that only the
// keyring's holder can make. It is always the same, so it is not stored.
std::string checkout_token(const Keyring& keyring, const domain::CheckoutSessionId& session);

// The address of the session's page; `pay_url` is the common part.
std::string checkout_link(std::string_view pay_url, const Keyring& keyring,
                          const domain::CheckoutSessionId& session);

// In the order of their values: 0-9, A-Z, a-z.
inline constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// As many characters as 256 bits need.
inline constexpr std::size_t kRandomBase62Characters = 43;

// 256 random bits, big-endian.
std::string random_base62(Entropy& entropy);

}  // namespace pixledger::eventstore
