#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/net/http_url.h"
#include "web/upstream/api_connection.h"

// What the dashboard's addresses mean, which browser may ask, and what passes between it and the API.
namespace pixledger::web {

// What an address of the dashboard means.
enum class GatewayPlace {
  kNowhere,
  kDocument,  // a page of the dashboard, all of which are one document
  kAsset,     // /assets/…
  kIcon,      // /favicon.ico
  kApi,       // /api/…, /openapi.json
  kHealth,    // /healthz
  kReady,     // /readyz
  kMetrics    // /metrics
};

struct GatewayRoute {
  GatewayPlace place = GatewayPlace::kNowhere;
  std::string_view pattern = "";  // for logs and metrics: a literal
};

GatewayRoute gateway_route(std::string_view path);

// Whether everybody who reads the path understands the same by it: no empty segments but the last, no "." and
// "..", no backslash, and nothing percent-encoded that need not be, or that would separate segments.
bool is_plain_path(std::string_view path);

// Whether the path is `above` or one below it.
bool is_within(std::string_view path, std::string_view above);

// What a request to the API has to do with a sign-in, which the browser may not see the token of.
enum class SignInStep {
  kNone,
  kBegins,    // POST /api/v1/sign-ins
  kConfirms,  // POST /api/v1/sign-ins/current/confirm: may fail and the sign-in goes on
  kEnds,      // DELETE /api/v1/sign-ins/current
  kOther      // another one of /api/v1/sign-ins
};
SignInStep sign_in_step(http::Method method, std::string_view path);

// Whether the API takes a file there, which is larger than what else is sent.
bool takes_file(http::Method method, std::string_view path);

// The origin that the dashboard is known to be at, and whether a browser says that a request comes from a
// page of it.
class BrowserOrigin {
 public:
  explicit BrowserOrigin(const HttpUrl& url)
      : origin_(url.origin()), authority_(url.authority()), is_tls_(url.is_tls) {}

  const std::string& text() const { return origin_; }
  bool is_tls() const { return is_tls_; }

  // The host that was asked is this one, and Sec-Fetch-Site says same-origin; of browsers from before there
  // was that, Origin names this one. Who says neither, or one of them twice, is none of its pages.
  bool has_sent(const http::Headers& headers) const;
  // Whether it was asked for by an address of this machine where it has the name localhost, with which alone
  // passkeys work.
  bool is_named_by_address(const http::Headers& headers) const;

 private:
  std::string origin_;
  std::string authority_;
  bool is_tls_;
};

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
