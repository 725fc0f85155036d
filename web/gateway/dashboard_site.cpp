#include "web/gateway/dashboard_site.h"

#include <algorithm>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"
#include "base/http/message/syntax.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "web/common/limits.h"
#include "web/common/payer_session.h"
#include "web/gateway/dashboard_assets.h"
#include "web/gateway/gateway_rules.h"
#include "web/gateway/sign_in.h"

namespace pixledger::web {
namespace {

// Scripts and styles come from this origin only, none are inline, and no text becomes markup or script
// (Trusted Types, without exceptions).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";
constexpr std::string_view kPermissions =
    "publickey-credentials-get=(self), publickey-credentials-create=(self), clipboard-write=(self), "
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), "
    "geolocation=(), gyroscope=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "picture-in-picture=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()";

}  // namespace

DashboardFiles::DashboardFiles()
    : document_(file_of(kDashboardDocument)),
      script_(file_of(kDashboardScript)),
      style_(file_of(kDashboardStyle)),
      verifier_(file_of(kVerifierScript)) {}

DashboardFiles::File DashboardFiles::file_of(std::string_view bytes) { return {bytes, http::gzip(bytes)}; }

http::Reply DashboardFiles::reply_of(const http::Request& request, const File& file, std::string_view type) {
  const bool is_compressed = accepts_gzip(request.headers);
  http::Reply reply{.body = {},
                    .content_type = type,
                    .headers = {{"Vary", "Accept-Encoding"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Referrer-Policy", "no-referrer"}},
                    .static_body = is_compressed ? std::string_view(file.compressed) : file.bytes};
  if (is_compressed) reply.headers.push_back({"Content-Encoding", "gzip"});
  return reply;
}

http::Reply DashboardFiles::document(const http::Request& request) const {
  auto reply = reply_of(request, document_, "text/html; charset=utf-8");
  const auto tag = "W/\"" + std::string(kDashboardDocumentDigest) + "\"";
  if (request.headers.find("If-None-Match") == tag) {
    reply.status = 304;
    reply.static_body = {};
  }
  reply.headers.insert(reply.headers.end(), {{"ETag", tag},
                                             {"Cache-Control", "no-cache"},
                                             {"Content-Security-Policy", std::string(kPolicy)},
                                             {"Permissions-Policy", std::string(kPermissions)},
                                             {"Cross-Origin-Opener-Policy", "same-origin"},
                                             {"Cross-Origin-Embedder-Policy", "require-corp"},
                                             {"X-Frame-Options", "DENY"}});
  return reply;
}

std::optional<http::Reply> DashboardFiles::asset(const http::Request& request) const {
  std::optional<http::Reply> reply;
  if (request.path == kDashboardScriptPath)
    reply = reply_of(request, script_, "text/javascript; charset=utf-8");
  if (request.path == kVerifierScriptPath)
    reply = reply_of(request, verifier_, "text/javascript; charset=utf-8");
  if (request.path == kDashboardStylePath) reply = reply_of(request, style_, "text/css; charset=utf-8");
  if (reply) reply->headers.push_back({"Cache-Control", "public, max-age=31536000, immutable"});
  return reply;
}

namespace {

using http::Reply;

constexpr std::string_view kCrossSite = "ERR_AUTH_014";
constexpr std::string_view kSignInEnded = "ERR_AUTH_011";
constexpr std::string_view kTooManyAtOnce = "ERR_RATE_001";
constexpr int kFirstRefusal = 300;

bool reads(const http::Request& request) {
  return request.method == http::Method::kGet || request.method == http::Method::kHead;
}

bool accepts_html(const http::Request& request) {
  const auto accepted = request.headers.joined("Accept");
  std::string_view rest = accepted;
  while (!rest.empty()) {
    auto item = http::next_item(rest, ',');
    if (equal_without_case(http::next_item(item, ';'), "text/html")) return http::weight_of(item) > 0;
  }
  return false;
}

Reply not_found(const http::Request& request) {
  return http::transport_error_reply(request, 404, "There is nothing at this address.");
}

Reply not_allowed(const http::Request& request, std::string_view allowed) {
  auto reply = http::transport_error_reply(request, 405, "The method does not fit this address.");
  reply.headers.push_back({"Allow", std::string(allowed)});
  return reply;
}

Reply too_many(const http::Request& request) {
  auto reply = http::error_reply(
      request, {429, kTooManyAtOnce, "Too many requests of the dashboard are under way; try again."});
  reply.headers.push_back({"Retry-After", "1"});
  return reply;
}

// Holds two places as one.
std::shared_ptr<void> both(std::shared_ptr<void> one, std::shared_ptr<void> other) {
  return std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(std::move(one),
                                                                                   std::move(other));
}

// The name by which a sign-in is counted.
std::string name_of(const std::string& token) { return to_hex(sha256(token)); }

bool is_ended(const ApiReply& reply) {
  return reply.status == kUnauthorized && ApiError::parse(reply.body).code == kSignInEnded;
}

std::optional<std::string> header_of(const ApiReply& reply, std::string_view wanted) {
  for (const auto& [name, value] : reply.headers)
    if (name == wanted) return value;
  return std::nullopt;
}

// Paths that need no sign-in.
bool is_open(SignInStep step, std::string_view path) {
  return step == SignInStep::kBegins || !is_within(path, "/api") || path == "/api/v1/sign-ins/challenge";
}

// Whether the reply concerns the browser's current sign-in, so that its end removes the cookie. An older
// request may end with an earlier sign-in.
bool tells_of_cookie(SignInStep step, const http::Request& request) {
  return step == SignInStep::kEnds || request.path == "/api/v1/sign-ins/current";
}

}  // namespace

std::optional<Reply> DashboardSite::judge(http::Request& request) {
  const auto route = gateway_route(request.path);
  request.route_pattern = route.pattern;
  switch (route.place) {
    case GatewayPlace::kNowhere:
      return not_found(request);
    case GatewayPlace::kApi:
      return judge_api(request);
    case GatewayPlace::kDocument:
      return judge_document(request);
    case GatewayPlace::kGuide:
    case GatewayPlace::kAsset:
    case GatewayPlace::kIcon:
    case GatewayPlace::kHealth:
    case GatewayPlace::kReady:
    case GatewayPlace::kMetrics:
      break;
  }
  if (!reads(request)) return not_allowed(request, "GET, HEAD");
  return std::nullopt;
}

std::optional<Reply> DashboardSite::judge_document(const http::Request& request) const {
  if (!reads(request)) return not_allowed(request, "GET, HEAD");
  if (!accepts_html(request) && request.path != "/") return not_found(request);
  if (!origin_.is_named_by_address(request.headers)) return std::nullopt;
  auto there = origin_.text() + request.path;
  if (!request.query.empty()) there += "?" + request.query;
  return Reply{.status = 307, .body = {}, .headers = {{"Location", std::move(there)}}};
}

std::optional<Reply> DashboardSite::judge_api(const http::Request& request) {
  if (!origin_.has_sent(request.headers)) {
    ++counts_.cross_site;
    return http::error_reply(request, {403, kCrossSite, "The dashboard's own pages alone may ask this."});
  }
  const auto refusal = refusal_to_pass(request);
  if (!refusal) return std::nullopt;
  constexpr int kNotAllowed = 405;
  if (refusal->status == kNotAllowed) return not_allowed(request, "GET, POST, PATCH, DELETE");
  return http::transport_error_reply(request, refusal->status, refusal->message);
}

bool DashboardSite::knows_sign_in(const http::Request& request) const {
  const auto token = cookie_.token_in(request.headers);
  return token && users_.find(name_of(*token));
}

void DashboardSite::serve(const http::Responder& responder) {
  const auto& request = responder.request();
  switch (gateway_route(request.path).place) {
    case GatewayPlace::kApi:
      return pass(responder);
    case GatewayPlace::kDocument:
      return responder(files_.document(request));
    case GatewayPlace::kGuide:
      return responder(guide_.find(request).value_or(not_found(request)));
    case GatewayPlace::kAsset:
      return responder(files_.asset(request).value_or(not_found(request)));
    case GatewayPlace::kIcon:
      return responder(
          Reply{.status = 204, .body = {}, .headers = {{"Cache-Control", "public, max-age=86400"}}});
    case GatewayPlace::kNowhere:
    case GatewayPlace::kHealth:
    case GatewayPlace::kReady:
    case GatewayPlace::kMetrics:
      return responder(not_found(request));
  }
}

void DashboardSite::pass(const http::Responder& responder) {
  const auto& request = responder.request();
  const auto step = sign_in_step(request.method, request.path);
  auto token = cookie_.token_in(request.headers).value_or("");
  // A new sign-in does not use the previous one.
  if (step == SignInStep::kBegins) token.clear();
  // The reply of an ended sign-in, so that pages ask the user to sign in.
  if (token.empty() && !is_open(step, request.path))
    return responder(http::error_reply(
        request, {kUnauthorized, kSignInEnded, "You are not signed in, or your sign-in has ended."}));
  const auto passage =
      std::make_shared<Passage>(Passage{.responder = responder,
                                        .step = step,
                                        .token = token,
                                        .sign_in = token.empty() ? std::string() : name_of(token),
                                        .network = network_of(request.caller_address)});
  if (!take_places(*passage)) return responder(too_many(request));
  RelayedCall call{.method = http::method_name(request.method),
                   .target = request.path + (request.query.empty() ? "" : "?" + request.query),
                   .headers = passed_headers(
                       request, passage->token,
                       step == SignInStep::kBegins ? cookie_.device_in(request.headers) : std::string()),
                   .body = std::move(responder.request().body),
                   .body_type = takes_file(request.method, request.path) ? http::kFileType : http::kJson,
                   .is_whole = step != SignInStep::kNone,
                   .project = std::string(request.headers.find("Pixledger-Project").value_or("")),
                   // Callers without a sign-in share their network's places.
                   .sign_in = passage->sign_in.empty() ? passage->network : passage->sign_in};
  responder.share();
  // The relay has its own timeout.
  responder.allow_more(ApiRelay::kPatience);
  const auto id = parts_.relay.ask(std::move(call), [this, passage](std::optional<RelayedReply> relayed) {
    auto given = std::make_shared<std::optional<RelayedReply>>(std::move(relayed));
    passage->responder.on_loop([this, passage, given] { receive(passage, std::move(*given)); });
  });
  responder.on_gone([relay = &parts_.relay, id] { relay->abandon(id); });
}

bool DashboardSite::take_places(Passage& passage) {
  auto of_address = requests_of_address_.take(passage.network);
  if (!of_address) {
    ++counts_.over_address_requests;
    return false;
  }
  passage.places = std::move(of_address);
  if (passage.token.empty()) return true;
  auto of_sign_in = requests_of_sign_in_.take(passage.sign_in);
  if (!of_sign_in) {
    ++counts_.over_sign_in_requests;
    return false;
  }
  passage.places = both(std::move(passage.places), std::move(of_sign_in));
  const auto user = users_.find(passage.sign_in);
  if (!user) return true;
  auto of_user = requests_of_user_.take(*user);
  if (!of_user) {
    ++counts_.over_user_requests;
    return false;
  }
  passage.places = both(std::move(passage.places), std::move(of_user));
  return true;
}

bool DashboardSite::take_stream_places(const Passage& passage, RelayedBody& rest) {
  auto of_address = streams_of_address_.take(passage.network);
  if (!of_address) {
    ++counts_.over_address_streams;
    return false;
  }
  auto of_sign_in = streams_of_sign_in_.take(passage.sign_in);
  if (!of_sign_in) {
    ++counts_.over_sign_in_streams;
    return false;
  }
  rest.hold(both(std::move(of_address), std::move(of_sign_in)));
  return true;
}

void DashboardSite::receive(const PassagePtr& passage, std::optional<RelayedReply> relayed) {
  const auto& request = passage->responder.request();
  if (!relayed)
    return passage->responder(
        http::transport_error_reply(request, 503, "The API did not answer; try again."));
  if (relayed->is_over_share) return passage->responder(too_many(request));
  if (!passage->sign_in.empty()) {
    if (auto user = header_of(relayed->reply, http::kUserHeader))
      users_.keep(passage->sign_in, *std::move(user));
  }
  answer(*passage, *std::move(relayed));
}

void DashboardSite::answer(const Passage& passage, RelayedReply relayed) {
  const auto& request = passage.responder.request();
  std::optional<std::string> cookie;
  if (passage.step != SignInStep::kNone && !keep_sign_in(passage, relayed.reply, cookie)) {
    parts_.log_bad_sign_in();
    return passage.responder(
        http::transport_error_reply(request, 503, "The API answered what cannot be passed on; try again."));
  }
  if (tells_of_cookie(passage.step, request) && !passage.token.empty() && is_ended(relayed.reply))
    cookie = cookie_.cleared();
  std::optional<std::string> device;
  if (passage.step == SignInStep::kBegins) device = header_of(relayed.reply, http::kDeviceHeader);
  auto reply = passed_reply(std::move(relayed.reply));
  if (cookie) reply.headers.push_back({"Set-Cookie", *std::move(cookie)});
  if (device) reply.headers.push_back({"Set-Cookie", cookie_.with_device(*device)});
  if (relayed.rest) {
    // Streams stay open with their page, so they take no places of requests.
    const bool is_stream = reply.content_type == http::kEventStream;
    if (is_stream && !take_stream_places(passage, *relayed.rest)) return passage.responder(too_many(request));
    if (!is_stream) relayed.rest->hold(passage.places);
    reply.source = std::move(relayed.rest);
  }
  passage.responder(std::move(reply));
}

bool DashboardSite::keep_sign_in(const Passage& passage, ApiReply& reply,
                                 std::optional<std::string>& cookie) const {
  const bool is_refused = reply.status >= kFirstRefusal;
  if (passage.step == SignInStep::kEnds && !is_refused) cookie = cookie_.cleared();
  if (is_refused || reply.body.empty()) return passage.step != SignInStep::kBegins || is_refused;
  auto taken = take_token(reply.body);
  // Only a new sign-in's reply may have a token for the browser.
  if (!taken || taken->token.has_value() != (passage.step == SignInStep::kBegins)) return false;
  reply.body = std::move(taken->body);
  if (taken->token) cookie = cookie_.with(*taken->token);
  return true;
}

}  // namespace pixledger::web
