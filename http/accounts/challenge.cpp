#include "http/accounts/challenge.h"

#include <array>
#include <span>

#include "base/platform/big_endian.h"
#include "base/text/base64url.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kChallengeRandomBytes = 16;

std::string_view name_of(ChallengePurpose purpose) {
  switch (purpose) {
    case ChallengePurpose::kSignIn:
      return "sign_in";
    case ChallengePurpose::kRegister:
      return "register";
    case ChallengePurpose::kConfirm:
      return "confirm";
  }
  return {};
}

// `plain` has one size, so what stands after it is told apart from it.
Challenge challenge_of(std::string_view plain, ChallengePurpose purpose, std::string_view whose,
                       const eventstore::Keyring& keyring) {
  const Timestamp made_at(static_cast<std::int64_t>(from_big_endian(plain.substr(0, kBigEndianBytes))));
  return {.id = to_base64url(plain),
          .bytes = keyring.code_of_account("challenge " + std::string(name_of(purpose)),
                                           std::string(plain) + std::string(whose)),
          .expires_at = made_at.plus_millis(kChallengeMs)};
}

}  // namespace

Challenge make_challenge(ChallengePurpose purpose, std::string_view whose, const eventstore::Keyring& keyring,
                         Entropy& entropy, Timestamp now) {
  std::array<char, kChallengeRandomBytes> random{};
  entropy.fill(std::as_writable_bytes(std::span(random)));
  const auto plain =
      big_endian(static_cast<std::uint64_t>(now.millis())) + std::string(random.data(), random.size());
  return challenge_of(plain, purpose, whose, keyring);
}

std::optional<Challenge> find_challenge(std::string_view id, ChallengePurpose purpose, std::string_view whose,
                                        const eventstore::Keyring& keyring, Timestamp now) {
  const auto plain = bytes_from_base64url(id);
  if (!plain || plain->size() != kBigEndianBytes + kChallengeRandomBytes) return std::nullopt;
  // Whoever made up a time knows no challenge of it, but sums must not overflow.
  const auto made_at = from_big_endian(std::string_view(*plain).substr(0, kBigEndianBytes));
  if (made_at > static_cast<std::uint64_t>(now.plus_millis(kChallengeMs).millis())) return std::nullopt;
  auto challenge = challenge_of(*plain, purpose, whose, keyring);
  if (challenge.expires_at <= now) return std::nullopt;
  return challenge;
}

}  // namespace pixledger::http
