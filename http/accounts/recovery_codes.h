#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/entropy.h"
#include "base/platform/sha256.h"
#include "domain/values/cuid.h"
#include "stores/accounts/account_repository.h"

// What stands for the one-time code of an app that is lost, each of them once: 80 random bits in base32, in
// groups of four ("ABCD-EFGH-IJKL-MNOP"), so many that their plain digest tells nobody which they are.
namespace pixledger::http {

struct NewRecoveryCodes {
  std::array<std::string, stores::kRecoveryCodes> texts;
  std::array<Digest, stores::kRecoveryCodes> hashes;
};

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, Entropy& entropy);

// Of what somebody typed: case, blanks and hyphens do not matter. nullopt where it cannot be one.
std::optional<Digest> recovery_code_hash(const domain::UserId& user, std::string_view typed);

}  // namespace pixledger::http
