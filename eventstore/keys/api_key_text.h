#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/entropy.h"
#include "base/platform/sha256.h"

// The text of an API key, the secret that a merchant sends:
//
//   sk_live_ or sk_test_   what it creates
//   4 base62 characters    the log that knows the key
//   43 base62 characters   256 random bits, big-endian
//   6 base62 characters    CRC-32 (IEEE 802.3, as zlib's) of all before, big-endian, padded with zeros
//
// Base62 digits are 0-9, A-Z, a-z in this order. The checksum tells a mistyped key without a look-up; it
// proves nothing. Only the SHA-256 of the whole text is ever stored.

namespace pixledger::eventstore {

struct NewApiKeyText {
  std::string text;
  // SHA-256 of the whole text.
  Digest hash;
};

struct ParsedApiKey {
  bool live;
  std::array<char, 4> log;
};

// `log` is four base62 characters; asserted.
NewApiKeyText make_api_key(bool live, std::array<char, 4> log, Entropy& entropy);

// Nothing unless the text has the shape of a key and its checksum is right. That such a key was ever issued
// is for the log to say. Case matters and surrounding space is refused.
std::optional<ParsedApiKey> parse_api_key(std::string_view text);

// The last four characters of a key's text. They are of its checksum: of the secret's 256 bits they tell 24
// at most.
std::string_view api_key_end(std::string_view text);

// The public name of a key: the first 24 hex characters of its hash.
std::string api_key_id(const Digest& hash);

}  // namespace pixledger::eventstore
