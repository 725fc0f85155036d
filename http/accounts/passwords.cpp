#include "http/accounts/passwords.h"

#include <argon2.h>
#include <cstdint>
#include <stdexcept>

#include "base/platform/big_endian.h"
#include "base/platform/sha256.h"
#include "base/text/base64.h"
#include "base/text/text.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kCharactersMin = 12;
constexpr std::size_t kCharactersMax = 200;
constexpr std::uint32_t kPasses = 2;
constexpr std::uint32_t kMemoryKib = 19 * 1'024;
constexpr std::uint32_t kLanes = 1;
constexpr std::uint32_t kHashBytes = 32;

// The hash of no user: no password is known to hash to all zeros.
constexpr const char* kOfNobody =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

[[noreturn]] void fail(int error) {
  throw std::runtime_error(std::string("a password cannot be hashed: ") + argon2_error_message(error));
}

constexpr char kBetween = '.';
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kPlainBytes = kBigEndianBytes + kNameBytes;
constexpr std::size_t kMarkBytes = kPlainBytes + 32;
constexpr std::size_t kMarkCharacters = (kMarkBytes * 8 + 5) / 6;

std::string_view next_mark(std::string_view& rest) {
  const auto end = rest.find(kBetween);
  const auto mark = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return mark;
}

// Time and name have a fixed size, so the user's id that follows them is unambiguous.
std::string mark_of(std::string_view plain, const domain::UserId& user, const eventstore::Keyring& keyring) {
  const auto code = keyring.code_of_account("device", std::string(plain) + user.text());
  return to_base64url(std::string(plain) + std::string(bytes_of(code)));
}

std::optional<std::string> device_of(std::string_view mark, const domain::UserId& user,
                                     const eventstore::Keyring& keyring, Timestamp now) {
  const auto bytes = bytes_from_base64url(mark);
  if (!bytes || bytes->size() != kMarkBytes) return std::nullopt;
  const auto plain = std::string_view(*bytes).substr(0, kPlainBytes);
  if (!equal_in_constant_time(mark_of(plain, user, keyring), mark)) return std::nullopt;
  const auto made_at = static_cast<std::int64_t>(from_big_endian(plain.substr(0, kBigEndianBytes)));
  if (Timestamp(made_at).plus_millis(kKnownDeviceMs) <= now) return std::nullopt;
  return to_base64url(plain.substr(kBigEndianBytes));
}

}  // namespace

std::optional<Password> Password::parse(std::string_view text) {
  if (!is_clean_text(text)) return std::nullopt;
  const auto characters = count_characters(text);
  if (characters < kCharactersMin || characters > kCharactersMax) return std::nullopt;
  return Password(std::string(text));
}

std::string hash_password(const Password& password, Entropy& entropy) {
  const auto salt = entropy.bytes(16);
  std::string encoded(argon2_encodedlen(kPasses, kMemoryKib, kLanes, static_cast<std::uint32_t>(salt.size()),
                                        kHashBytes, Argon2_id),
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

std::optional<std::string> known_device(std::string_view marks, const domain::UserId& user,
                                        const eventstore::Keyring& keyring, Timestamp now) {
  for (std::size_t i = 0; i < kUsersOfDeviceMax && !marks.empty(); ++i) {
    if (auto device = device_of(next_mark(marks), user, keyring, now)) return device;
  }
  return std::nullopt;
}

std::string remember_device(std::string_view marks, const domain::UserId& user,
                            const eventstore::Keyring& keyring, Entropy& entropy, Timestamp now) {
  auto kept = mark_of(big_endian(static_cast<std::uint64_t>(now.millis())) + entropy.bytes(kNameBytes), user,
                      keyring);
  // The most recent marks of other users; each is verified when it is used.
  for (std::size_t others = 1; others < kUsersOfDeviceMax && !marks.empty();) {
    const auto mark = next_mark(marks);
    const auto bytes = bytes_from_base64url(mark);
    if (mark.size() != kMarkCharacters || !bytes || device_of(mark, user, keyring, now)) continue;
    kept.append(1, kBetween).append(mark);
    ++others;
  }
  return kept;
}

}  // namespace pixledger::http
