#pragma once

#include <filesystem>

#include "eventstore/keys/keyring.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

inline constexpr Timestamp kKeysMadeAt{1'767'225'600'000};

// Keys made by a seeded entropy, in a directory of their own.
struct NewKeys {
  TemporaryDirectory directory;
  SeededEntropy entropy{11};
  std::filesystem::path keys = directory.path() / "keys";

  NewKeys() { eventstore::Keyring::create(keys, entropy, kKeysMadeAt); }
};

}  // namespace pixledger::tests
