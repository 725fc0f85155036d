#pragma once

#include <string_view>

#include "base/http/message/request.h"

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

// Whether the path is one of those that payers' pages ask, which are none of the dashboard's.
bool is_for_payers(std::string_view path);

}  // namespace pixledger::web
