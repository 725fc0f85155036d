#pragma once

#include <optional>
#include <string_view>

#include "domain/aggregates/customer.h"

namespace pixledger::domain {

// Which part of a customer's details a free text gives away: "name", "document", "e-mail address" or "phone
// number"; nullopt when none. A word of the name is enough, from three letters on and unless it joins others
// ("dos"). Case and marks do not count, nor what stands between digits.
std::optional<std::string_view> mentioned_in(std::string_view text, const CustomerDetails& details);

}  // namespace pixledger::domain
