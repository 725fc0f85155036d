#pragma once

#include <string_view>

#include "domain/aggregates/team.h"

namespace pixledger::http {

// Scopes that no API key has, so that none can make keys or members, or say that money has come.
inline constexpr std::string_view kKeysScope = "keys";
inline constexpr std::string_view kMembersScope = "members";
inline constexpr std::string_view kOperateScope = "operate";
// Of a user's own account: any sign-in has it, for whatever project or none.
inline constexpr std::string_view kAccountScope = "account";

// Whether the scope is one of these four.
bool is_of_users_alone(std::string_view scope);

// Whether a member with the role may call a route that asks for the scope; empty: any role.
bool allows(domain::Role role, std::string_view scope);

}  // namespace pixledger::http
