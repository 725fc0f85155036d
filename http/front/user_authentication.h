#pragma once

#include <optional>

#include "http/front/authentication.h"

namespace pixledger::http {

// The guard's answer to who shows a sign-in's token: nothing once the request's caller is set.
std::optional<Reply> admit_user(const GuardServices& services, Request& request, const Route& route);

// Of a caller who has signed in and is a member, see refuse_lack_of_scope.
std::optional<Reply> refuse_role_without(const Request& request, std::string_view scope);

// Of a caller who has signed in, see refuse_ended_caller.
std::optional<Reply> refuse_ended_sign_in(const Services& services, const Request& request);

}  // namespace pixledger::http
