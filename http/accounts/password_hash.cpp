#include "http/accounts/password_hash.h"

#include <argon2.h>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/text/text.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kCharactersMin = 12;
constexpr std::size_t kCharactersMax = 200;
constexpr std::uint32_t kPasses = 2;
constexpr std::uint32_t kMemoryKib = 19 * 1'024;
constexpr std::uint32_t kLanes = 1;
constexpr std::uint32_t kHashBytes = 32;

// Of no password: no password's hash is known to be all zeros.
constexpr const char* kOfNobody =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

[[noreturn]] void fail(int error) {
  throw std::runtime_error(std::string("a password cannot be hashed: ") + argon2_error_message(error));
}

}  // namespace

std::optional<Password> Password::parse(std::string_view text) {
  if (!is_clean_text(text)) return std::nullopt;
  const auto characters = count_characters(text);
  if (characters < kCharactersMin || characters > kCharactersMax) return std::nullopt;
  return Password(std::string(text));
}

std::string hash_password(const Password& password, Entropy& entropy) {
  std::array<std::uint8_t, 16> salt{};
  entropy.fill(std::as_writable_bytes(std::span(salt)));
  std::string encoded(argon2_encodedlen(kPasses, kMemoryKib, kLanes, salt.size(), kHashBytes, Argon2_id),
                      '\0');
  const int result =
      argon2id_hash_encoded(kPasses, kMemoryKib, kLanes, password.text().data(), password.text().size(),
                            salt.data(), salt.size(), kHashBytes, encoded.data(), encoded.size());
  if (result != ARGON2_OK) fail(result);
  encoded.resize(encoded.find('\0'));
  return encoded;
}

bool is_password(const std::optional<std::string>& hash, std::string_view password) {
  const int result = argon2id_verify(hash ? hash->c_str() : kOfNobody, password.data(), password.size());
  if (result != ARGON2_OK && result != ARGON2_VERIFY_MISMATCH) fail(result);
  return hash && result == ARGON2_OK;
}

}  // namespace pixledger::http
