#include "eventstore/log/log.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace pixledger::eventstore {

std::array<char, 4> LogIdentity::fingerprint() const {
  // Four base-36 digits from the ledger id, which is random.
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::array<char, 4> letters{};
  auto number = std::stoull(ledger_id.substr(0, 12), nullptr, 16);
  for (auto& letter : letters) {
    letter = kDigits[number % kDigits.size()];
    number /= kDigits.size();
  }
  return letters;
}

std::optional<Head> Log::begin_catch_up(TellHead told) const {
  try {
    return catch_up();
  } catch (const LogUnavailable& away) {
    told({{}, away.what()});
    return std::nullopt;
  }
}

StoredEvent to_stored_event(Position position, std::string_view leaf, std::string_view personal) {
  if (leaf.size() <= kDigestBytes)
    throw LogCorrupt("the event at position " + std::to_string(position.value()) + " is damaged");
  const auto envelope_bytes = leaf.size() - kDigestBytes;
  return {.position = position,
          .bytes = std::string(leaf.substr(0, envelope_bytes)),
          .personal_digest = digest_from_bytes(leaf.substr(envelope_bytes)),
          .personal = std::string(personal)};
}

domain::IdMint fresh_recipe(const Log& log, const Clock& clock, Entropy& entropy) {
  std::array<std::byte, 12> bytes{};
  entropy.fill(bytes);
  domain::IdMint recipe{std::max(clock.now(), log.head().time), 0, log.identity().fingerprint(), 0};
  std::memcpy(&recipe.random, bytes.data(), sizeof recipe.random);
  std::memcpy(&recipe.counter, bytes.data() + sizeof recipe.random, sizeof recipe.counter);
  return recipe;
}

}  // namespace pixledger::eventstore
