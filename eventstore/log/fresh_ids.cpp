#include "eventstore/log/fresh_ids.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace pixledger::eventstore {

domain::IdMint fresh_recipe(const Log& log, const Clock& clock, Entropy& entropy) {
  std::array<std::byte, 12> bytes{};
  entropy.fill(bytes);
  domain::IdMint recipe{std::max(clock.now(), log.head().time), 0, log.identity().fingerprint(), 0};
  std::memcpy(&recipe.random, bytes.data(), sizeof recipe.random);
  std::memcpy(&recipe.counter, bytes.data() + sizeof recipe.random, sizeof recipe.counter);
  return recipe;
}

}  // namespace pixledger::eventstore
