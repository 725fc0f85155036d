#include "http/accounts/recovery_codes.h"

#include <cstddef>
#include <span>

#include "base/text/ascii.h"
#include "base/text/base64url.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kBytes = 10;
constexpr std::size_t kCharacters = 16;
constexpr std::size_t kGroup = 4;

// Frozen: it is what is stored.
Digest hash_of(const domain::UserId& user, std::string_view code) {
  return sha256(
      {"pixledger recovery code", std::string_view("\0", 1), user.text(), std::string_view("\0", 1), code});
}

}  // namespace

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, Entropy& entropy) {
  NewRecoveryCodes made;
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    std::string random(kBytes, '\0');
    entropy.fill(std::as_writable_bytes(std::span(random)));
    const auto code = to_base32(random);
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
