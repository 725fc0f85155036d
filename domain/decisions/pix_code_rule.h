#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/charge.h"
#include "domain/pix/pix_key.h"

namespace pixledger::domain {

// Whether whoever pays a charge's Pix code pays that charge: its amount, under its id, to the project's key
// (in the sandbox to the key that nobody can pay), or, where a bank moves its money, to its connection's.
// `owner_key` is that of the project, or of the connection, when the charge was created. The merchant's name
// and city are not looked at. Returns what is wrong, and nothing when all fits.
std::optional<std::string> broken_pix_code_rule(const ChargeCreated& charge,
                                                const std::optional<PixKey>& owner_key);

}  // namespace pixledger::domain
