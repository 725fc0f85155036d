#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/charge.h"
#include "domain/pix/pix_key.h"

namespace pixledger::domain {

// Checks that a charge's Pix code pays exactly this charge: its amount, under its id, to the right key. That
// is the project's key, the unpayable key in the sandbox, or the connection's key if a bank moves the money.
// `owner_key` is the project's or connection's key when the charge was created. Ignores the merchant's name
// and city. Returns the violated rule, or nullopt.
std::optional<std::string> broken_pix_code_rule(const ChargeCreated& charge,
                                                const std::optional<PixKey>& owner_key);

}  // namespace pixledger::domain
