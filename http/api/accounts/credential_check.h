#pragma once

#include <optional>
#include <string_view>

#include "http/accounts/challenge.h"
#include "http/api/accounts/account_input.h"
#include "http/services/services.h"
#include "stores/accounts/account_rows.h"

namespace pixledger::http {

// Whose credentials they are, and what is spent when they take effect.
struct Judged {
  domain::UserId user;
  stores::CredentialShown shown;
};

// nullopt where the passkey is unknown, or did not sign this. `whose`: what the challenge is bound to.
std::optional<Judged> judge_passkey(const Services& services, const PasskeyInput& input,
                                    ChallengePurpose purpose, std::string_view whose);

// nullopt where one of both is wrong. The same work is done for an account that there is not, or that has no
// password, and whichever of both is wrong. Hashes a password.
std::optional<Judged> judge_password(const Services& services,
                                     const std::optional<stores::PasswordAccount>& account,
                                     const PasswordInput& input);

}  // namespace pixledger::http
