#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/request.h"

namespace pixledger::web {

// The cookie that has a user's sign-in, which no script can read and no other site's page sends. Where the
// dashboard has TLS its name ties it to the host (RFC 6265bis §4.1.3.2); browsers take neither that nor
// `Secure` without, so that on http://localhost it has another name.
class SignInCookie {
 public:
  explicit SignInCookie(bool is_tls) : is_tls_(is_tls) {}

  // nullopt where there is none, or several: of these one may be anybody's.
  std::optional<std::string> token_in(const http::Headers& headers) const;
  // Values of Set-Cookie. It ends with the browser, and the sign-in before that.
  std::string with(std::string_view token) const;
  std::string cleared() const;

  // What the browser keeps of those who have signed in with it: a cookie of its own, which outlives sign-ins.
  // Empty where there is none.
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

// What the API answers of a sign-in, without what no page may see.
struct SignInAnswer {
  std::string body;                  // as it was but for the token
  std::optional<std::string> token;  // "us_…"
};

// nullopt when it is no answer of the API's, or has a token in another place than `data.token`.
std::optional<SignInAnswer> take_token(std::string_view answer);

}  // namespace pixledger::web
