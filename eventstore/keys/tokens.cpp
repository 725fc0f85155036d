#include "eventstore/keys/tokens.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "base/text/base64.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint32_t kBase = kBase62.size();
constexpr std::string_view kLivePrefix = "sk_live_";
constexpr std::string_view kTestPrefix = "sk_test_";
constexpr std::size_t kPrefixCharacters = 8;
constexpr std::size_t kLogCharacters = 4;
constexpr std::size_t kChecksumCharacters = 6;
constexpr std::size_t kCheckedCharacters = kPrefixCharacters + kLogCharacters + kRandomBase62Characters;
constexpr std::size_t kKeyCharacters = kCheckedCharacters + kChecksumCharacters;
constexpr std::size_t kIdCharacters = 24;
constexpr std::size_t kEndCharacters = 4;
constexpr std::uint8_t kNotBase62 = 0xff;

constexpr std::size_t kCrcBytes = 8;  // processed at once, since every request has a key

// IEEE 802.3, bits reversed. Table n is for a byte with n more bytes after it in the same eight.
constexpr std::array<std::array<std::uint32_t, 256>, kCrcBytes> kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, kCrcBytes> tables{};
  for (std::uint32_t byte = 0; byte < tables[0].size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320U : 0);
    tables[0][byte] = value;
  }
  for (std::size_t n = 1; n < kCrcBytes; ++n)
    for (std::size_t byte = 0; byte < tables[n].size(); ++byte) {
      const std::uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}();

constexpr std::array<std::uint8_t, 256> kBase62Value = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNotBase62;
  for (std::size_t i = 0; i < kBase62.size(); ++i) {
    values[static_cast<std::uint8_t>(kBase62[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::uint8_t base62_value(char digit) { return kBase62Value[static_cast<std::uint8_t>(digit)]; }

bool all_base62(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char digit) { return base62_value(digit) != kNotBase62; });
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (; bytes.size() >= kCrcBytes; bytes.remove_prefix(kCrcBytes)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kCrcBytes; ++i) {
      const std::uint32_t before = i < sizeof crc ? crc >> (8 * i) : 0;
      next ^= kCrcTables[kCrcBytes - 1 - i][(before ^ static_cast<std::uint8_t>(bytes[i])) & 0xff];
    }
    crc = next;
  }
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  return ~crc;
}

std::array<char, kChecksumCharacters> checksum_of(std::string_view checked) {
  std::array<char, kChecksumCharacters> digits;
  std::uint32_t rest = crc32(checked);
  for (std::size_t i = kChecksumCharacters; i-- > 0;) {
    digits[i] = kBase62[rest % kBase];
    rest /= kBase;
  }
  return digits;
}

}  // namespace

NewApiKey make_api_key(bool live, std::array<char, 4> log, Entropy& entropy) {
  const std::string_view log_text(log.data(), log.size());
  assert(all_base62(log_text));
  std::string text;
  text.reserve(kKeyCharacters);
  text += live ? kLivePrefix : kTestPrefix;
  text += log_text;
  text += random_base62(entropy);
  const auto checksum = checksum_of(text);
  text.append(checksum.data(), checksum.size());
  const auto hash = sha256(text);
  auto last_four = domain::ApiKeyEnd::parse(std::string_view(text).substr(text.size() - kEndCharacters));
  return {std::move(text), hash, *domain::ApiKeyId::parse(api_key_id(hash)), *std::move(last_four)};
}

std::optional<ParsedApiKey> parse_api_key(std::string_view text) {
  if (text.size() != kKeyCharacters) return std::nullopt;
  const std::string_view prefix = text.substr(0, kPrefixCharacters);
  const bool live = prefix == kLivePrefix;
  if (!live && prefix != kTestPrefix) return std::nullopt;
  if (!all_base62(text.substr(kPrefixCharacters))) return std::nullopt;
  const auto checksum = checksum_of(text.substr(0, kCheckedCharacters));
  if (text.substr(kCheckedCharacters) != std::string_view(checksum.data(), checksum.size()))
    return std::nullopt;

  ParsedApiKey key{live, {}};
  std::copy_n(text.begin() + kPrefixCharacters, kLogCharacters, key.log.begin());
  return key;
}

std::string api_key_id(const Digest& hash) { return to_hex(bytes_of(hash).substr(0, kIdCharacters / 2)); }

namespace {

NewUserToken make_token(std::string_view start, Entropy& entropy) {
  auto text = std::string(start) + random_base62(entropy);
  const auto hash = sha256(text);
  return {std::move(text), hash};
}

}  // namespace

NewUserToken make_sign_in_token(Entropy& entropy) { return make_token(kSignInTokenStart, entropy); }

NewUserToken make_invitation_token(Entropy& entropy) { return make_token(kInvitationTokenStart, entropy); }

bool is_sign_in_token(std::string_view text) {
  return text.size() == kSignInTokenStart.size() + kRandomBase62Characters &&
         text.starts_with(kSignInTokenStart) &&
         text.find_first_not_of(kBase62, kSignInTokenStart.size()) == std::string_view::npos;
}

std::string invitation_url(const std::string& dashboard_url, const std::string& token) {
  return dashboard_url + "/#/convite/" + token;
}

namespace {

constexpr std::size_t kCodeBytes = 16;

}  // namespace

std::string checkout_token(const Keyring& keyring, const domain::CheckoutSessionId& session) {
  const auto code = keyring.code_of_checkout("token", session.text());
  return session.text() + "." + to_base64url(bytes_of(code).substr(0, kCodeBytes));
}

std::string checkout_link(std::string_view pay_url, const Keyring& keyring,
                          const domain::CheckoutSessionId& session) {
  while (pay_url.ends_with('/')) pay_url.remove_suffix(1);
  return std::string(pay_url) + "/pay/" + checkout_token(keyring, session);
}

std::string random_base62(Entropy& entropy) {
  std::array<std::uint8_t, 32> number{};
  entropy.fill(std::as_writable_bytes(std::span(number)));
  std::string digits(kRandomBase62Characters, '0');
  for (std::size_t i = digits.size(); i-- > 0;) {
    std::uint32_t remainder = 0;
    for (std::uint8_t& byte : number) {
      const std::uint32_t dividend = remainder << 8 | byte;
      byte = static_cast<std::uint8_t>(dividend / kBase62.size());
      remainder = dividend % static_cast<std::uint32_t>(kBase62.size());
    }
    digits[i] = kBase62[remainder];
  }
  return digits;
}

}  // namespace pixledger::eventstore
