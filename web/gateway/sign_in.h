#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/request.h"

namespace pixledger::web {

// The cookie with a user's sign-in: scripts cannot read it and other sites' pages cannot send it. If the
// dashboard has TLS its name ties it to the host (RFC 6265bis §4.1.3.2). Browsers accept neither that name
// nor `Secure` without TLS, so on http://localhost it has another name.
class SignInCookie {
 public:
  explicit SignInCookie(bool is_tls) : is_tls_(is_tls) {}

  // Returns nullopt if the request has no such cookie, or several: one of them may be an attacker's.
  std::optional<std::string> token_in(const http::Headers& headers) const;
  // Return values of Set-Cookie. The cookie ends with the browser; the sign-in ends earlier.
  std::string with(std::string_view token) const;
  std::string cleared() const;

  // The marks of users who have signed in with this browser: a cookie of its own, which outlives sign-ins.
  // Empty if there is no such cookie.
  std::string device_in(const http::Headers& headers) const;
  std::string with_device(std::string_view marks) const;

 private:
  std::string_view name() const { return is_tls_ ? "__Host-pixledger" : "pixledger"; }
  std::string_view device_name() const { return is_tls_ ? "__Host-pixledger-device" : "pixledger-device"; }
  std::string text(std::string_view name, std::string_view value, std::string_view more) const;

  bool is_tls_;
};

// "us_" and 43 characters.
bool is_sign_in_token(std::string_view text);

// The API's answer to a sign-in, without what pages must not see.
struct SignInAnswer {
  std::string body;                  // as received, without the token
  std::optional<std::string> token;  // "us_…"
};

// Returns nullopt if it is not an answer of the API, or has a token in another place than `data.token`.
std::optional<SignInAnswer> take_token(std::string_view answer);

}  // namespace pixledger::web
