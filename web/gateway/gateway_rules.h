#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/net/http_url.h"
#include "web/upstream/api_connection.h"

// The dashboard's paths, the browser requests it accepts, and what is passed to and from the API.
namespace pixledger::web {

// The meaning of a dashboard path.
enum class GatewayPlace {
  kNowhere,
  kDocument,  // a page of the dashboard; all are one document
  kGuide,     // /docs/guide/…, /llms.txt, /llms-full.txt
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

// Whether all readers of the path interpret it alike: no empty segments but the last, no "." and "..", no
// backslash, no needless percent-encoding, and no encoded separators.
bool is_plain_path(std::string_view path);

// Whether the path is `above` or below it.
bool is_within(std::string_view path, std::string_view above);

// How a request to the API concerns a sign-in, whose token the browser must not see.
enum class SignInStep {
  kNone,
  kBegins,    // POST /api/v1/sign-ins
  kConfirms,  // POST /api/v1/sign-ins/current/confirm; a failure does not end the sign-in
  kEnds,      // DELETE /api/v1/sign-ins/current
  kOther      // others below /api/v1/sign-ins
};
SignInStep sign_in_step(http::Method method, std::string_view path);

// Whether the API takes a file at this path, larger than other bodies.
bool takes_file(http::Method method, std::string_view path);

// The dashboard's origin; checks whether a browser's request comes from one of its pages.
class BrowserOrigin {
 public:
  explicit BrowserOrigin(const HttpUrl& url)
      : origin_(url.origin()), authority_(url.authority()), is_tls_(url.is_tls) {}

  const std::string& text() const { return origin_; }
  bool is_tls() const { return is_tls_; }

  // Whether Host is this host, and Sec-Fetch-Site is same-origin or, from older browsers, Origin is this one.
  // False if both headers are missing or one is repeated.
  bool has_sent(const http::Headers& headers) const;
  // Whether Host is an address of this machine while the dashboard's host is localhost. Passkeys work only
  // under the name.
  bool is_named_by_address(const http::Headers& headers) const;

 private:
  std::string origin_;
  std::string authority_;
  bool is_tls_;
};

// Why a request is not passed on to the API.
struct NotPassed {
  int status;
  std::string_view message;  // a literal
};
std::optional<NotPassed> refusal_to_pass(const http::Request& request);

// The headers to pass on with a request. `token`: of the user's sign-in, or empty. `device`: the device's
// marks, or empty.
std::string passed_headers(const http::Request& request, std::string_view token, std::string_view device);

// The headers of the API's replies to keep.
std::span<const std::string_view> wanted_headers();

// The reply for the browser.
http::Reply passed_reply(ApiReply reply);

}  // namespace pixledger::web
