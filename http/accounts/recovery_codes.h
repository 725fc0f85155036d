#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/platform/sha256.h"
#include "projections/accounts/account_repository.h"

// What stands for the one-time code of an app that is lost, each of them once: 80 random bits in base32, in
// groups of four ("ABCD-EFGH-IJKL-MNOP"), so many that their plain digest tells nobody which they are.
namespace pixledger::http {

struct NewRecoveryCodes {
  std::array<std::string, projections::kRecoveryCodes> texts;
  std::array<eventstore::Digest, projections::kRecoveryCodes> hashes;
};

NewRecoveryCodes make_recovery_codes(const domain::UserId& user, eventstore::Entropy& entropy);

// Of what somebody typed: case, blanks and hyphens do not matter. nullopt where it cannot be one.
std::optional<eventstore::Digest> recovery_code_hash(const domain::UserId& user, std::string_view typed);

}  // namespace pixledger::http
