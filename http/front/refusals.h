#pragma once

#include <cstdint>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "eventstore/log/log.h"
#include "http/front/authentication.h"

// What the guard's parts answer, and ask of a request, alike.
namespace pixledger::http {

// 401, as ERR_AUTH_009 of a key or ERR_AUTH_011 of a sign-in.
Reply unauthenticated(const Request& request, std::string_view code, std::string_view message);
// 401 ERR_AUTH_011: of a sign-in that failed, or has ended. One answer, whatever it is that is wrong.
inline constexpr std::string_view kSignInCode = "ERR_AUTH_011";
inline constexpr std::string_view kSignInEnded = "The sign-in has failed or ended. Sign in again.";
Reply sign_in_failed(const Request& request);
// 403 ERR_AUTH_013: of a user who has not proven a moment ago who they are.
Reply lacks_confirmation(const Request& request);
// 403 ERR_AUTH_010: of a key.
Reply lacks_scope(const Request& request, std::string_view scope);
// 403 ERR_AUTH_012: of a user's role.
Reply lacks_role(const Request& request, std::string_view message);
// 429 ERR_RATE_001.
Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s);

// Counts a failure of the request's address: 401, or 429 when it has had too many.
Reply refuse_unauthenticated(const GuardServices& services, const Request& request, std::string_view code,
                             std::string_view message);

// Counts a request of that key or user: 429 when it is one too many. Sets what the answer tells of that.
std::optional<Reply> refuse_for_rate(const GuardServices& services, Request& request,
                                     const std::string& whose, domain::Environment environment);

// How far the log was when the request came. Throws LogUnavailable where that is not known.
Head arrival_of(const Request& request);

}  // namespace pixledger::http
