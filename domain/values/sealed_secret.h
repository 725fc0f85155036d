#pragma once

#include <string>

namespace pixledger::domain {

// A secret that only the keyring can open.
struct SealedSecret {
  std::string bytes;
  friend bool operator==(const SealedSecret&, const SealedSecret&) = default;
};

}  // namespace pixledger::domain
