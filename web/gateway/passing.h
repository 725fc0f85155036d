#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "web/upstream/response_reader.h"

// What of a browser's request the API is told, and what of its answer the browser: what is named here, and
// nothing else.
namespace pixledger::web {

// What the API knows devices by, which the browser keeps as a cookie.
inline constexpr std::string_view kDeviceHeader = "Pixledger-Device";

// Why a request to the API is not one that is passed on.
struct NotPassed {
  int status;
  std::string_view message;  // a literal
};
std::optional<NotPassed> refusal_to_pass(const http::Request& request);

// The header lines of a request that may be passed on. `token`: of the user's sign-in; empty: nobody's.
// `device`: what the browser keeps of those who have signed in with it; may be empty.
std::string passed_headers(const http::Request& request, std::string_view token, std::string_view device);

// The headers of the API's answers that are wanted.
std::span<const std::string_view> wanted_headers();

// The answer as the browser gets it.
http::Reply passed_reply(ApiReply reply);

}  // namespace pixledger::web
