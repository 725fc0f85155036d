#include "http/accounts/one_time_codes.h"

#include <array>
#include <cstddef>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdexcept>

#include "base/platform/big_endian.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/text/text.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kSecretBytes = 20;
constexpr std::int64_t kStepMs = 30'000;
constexpr std::int64_t kStepsAside = 1;

// Frozen: part of the sealed bytes.
std::string associated_with(const domain::UserId& user) { return "totp-secret/" + user.text(); }

constexpr std::size_t kBytes = 10;
constexpr std::size_t kCharacters = 16;
constexpr std::size_t kGroup = 4;

// Frozen: this digest is stored.
Digest hash_of(const domain::UserId& user, std::string_view code) {
  return sha256(
      {"pixledger recovery code", std::string_view("\0", 1), user.text(), std::string_view("\0", 1), code});
}

}  // namespace

std::string new_totp_secret(Entropy& entropy) { return entropy.bytes(kSecretBytes); }

std::string totp_url(std::string_view secret, std::string_view issuer, std::string_view account) {
  const auto its_issuer = percent_encode(issuer);
  return "otpauth://totp/" + its_issuer + ":" + percent_encode(account) + "?secret=" + to_base32(secret) +
         "&issuer=" + its_issuer + "&algorithm=SHA1&digits=6&period=30";
}

std::int64_t totp_step(Timestamp now) { return now.millis() / kStepMs; }

std::string totp_code(std::string_view secret, std::int64_t step, unsigned digits) {
  const auto counter = big_endian(static_cast<std::uint64_t>(step));
  std::array<unsigned char, 20> mac{};
  unsigned size = 0;
  if (!HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), unsigned_bytes(counter),
            counter.size(), mac.data(), &size) ||
      size != mac.size())
    throw std::runtime_error("HMAC-SHA-1 is unavailable");
  const std::size_t at = mac.back() & 0x0fU;
  std::uint32_t number = mac[at] & 0x7fU;
  for (std::size_t i = 1; i < 4; ++i) number = number << 8 | mac[at + i];
  std::string code(digits, '0');
  for (std::size_t i = digits; i-- > 0; number /= 10) code[i] = static_cast<char>('0' + number % 10);
  return code;
}

std::optional<std::int64_t> find_totp_step(std::string_view secret, std::string_view code,
                                           std::int64_t last_used, Timestamp now) {
  std::optional<std::int64_t> found;
  const auto current = totp_step(now);
  for (auto step = current - kStepsAside; step <= current + kStepsAside; ++step) {
    const bool fits = equal_in_constant_time(totp_code(secret, step), code);
    if (fits && step > last_used && !found) found = step;
  }
  return found;
}

std::string seal_totp(const domain::UserId& user, std::string_view secret, const eventstore::Keyring& keyring,
                      Entropy& entropy) {
  return keyring.seal(secret, associated_with(user), entropy).to_bytes();
}

std::string unseal_totp(const domain::UserId& user, const std::string& sealed,
                        const eventstore::Keyring& keyring) {
  const auto parsed = eventstore::Sealed::from_bytes(sealed);
  if (!parsed) throw eventstore::KeyringError("the secret of user " + user.text() + " is damaged");
  return keyring.unseal(*parsed, associated_with(user));
}

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, Entropy& entropy) {
  NewRecoveryCodes made;
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    const auto code = to_base32(entropy.bytes(kBytes));
    made.hashes[i] = hash_of(user, code);
    for (std::size_t at = 0; at < code.size(); at += kGroup)
      made.texts[i] += (at == 0 ? "" : "-") + code.substr(at, kGroup);
  }
  return made;
}

std::optional<Digest> recovery_code_hash(const domain::UserId& user, std::string_view typed) {
  std::string code;
  for (const char c : typed) {
    if (c == ' ' || c == '-') continue;
    code += to_ascii_upper(c);
    if (code.size() > kCharacters) return std::nullopt;
  }
  if (code.size() != kCharacters) return std::nullopt;
  return hash_of(user, code);
}

}  // namespace pixledger::http
