#include "web/gateway/gateway_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/message/syntax.h"
#include "base/text/ascii.h"
#include "web/upstream/api_relay.h"

namespace pixledger::web {
namespace {

struct KnownPath {
  std::string_view path;
  GatewayRoute route;
};

constexpr std::array<KnownPath, 7> kKnownPaths{
    {{"/healthz", {GatewayPlace::kHealth, "/healthz"}},
     {"/readyz", {GatewayPlace::kReady, "/readyz"}},
     {"/metrics", {GatewayPlace::kMetrics, "/metrics"}},
     {"/favicon.ico", {GatewayPlace::kIcon, "/favicon.ico"}},
     {"/llms.txt", {GatewayPlace::kGuide, "/docs/guide/:page"}},
     {"/llms-full.txt", {GatewayPlace::kGuide, "/docs/guide/:page"}},
     {"/openapi.json", {GatewayPlace::kApi, "/openapi.json"}}}};
constexpr std::string_view kSignIns = "/api/v1/sign-ins";
constexpr std::string_view kCurrent = "/api/v1/sign-ins/current";
constexpr std::string_view kConfirm = "/api/v1/sign-ins/current/confirm";

// pchar (RFC 3986 §3.3) without percent-encoding.
constexpr bool is_plain(char c) {
  return is_unreserved(c) || std::string_view("!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

// Whether the text begins with a needed escape: not of a plain, separating or control character, as "%41" is.
bool is_needed_escape(std::string_view text) {
  if (text.size() < 3) return false;
  const int high = hex_digit(text[1]);
  const int low = hex_digit(text[2]);
  if (high < 0 || low < 0) return false;
  const int byte = high * 16 + low;
  constexpr int kFirstVisible = 0x20, kDelete = 0x7F;
  if (byte < kFirstVisible || byte == kDelete) return false;
  const char c = static_cast<char>(byte);
  return !is_unreserved(c) && c != '/' && c != '\\' && c != '%';
}

bool is_plain_segment(std::string_view segment) {
  if (segment == "." || segment == "..") return false;
  for (std::size_t at = 0; at < segment.size(); ++at) {
    if (segment[at] == '%') {
      if (!is_needed_escape(segment.substr(at))) return false;
      at += 2;
    } else if (!is_plain(segment[at])) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_within(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '/');
}

GatewayRoute gateway_route(std::string_view path) {
  constexpr std::string_view kApi = "/api";
  constexpr std::string_view kAssets = "/assets";
  constexpr std::string_view kGuide = "/docs/guide";
  for (const auto& [known, route] : kKnownPaths) {
    if (path == known) return route;
  }
  if (is_within(path, kApi)) return {GatewayPlace::kApi, "/api/"};
  if (is_within(path, kAssets)) return {GatewayPlace::kAsset, "/assets/:name"};
  if (is_within(path, kGuide) && is_plain_path(path)) return {GatewayPlace::kGuide, "/docs/guide/:page"};
  if (is_plain_path(path)) return {GatewayPlace::kDocument, "/"};
  return {};
}

bool is_plain_path(std::string_view path) {
  if (!path.starts_with('/')) return false;
  path.remove_prefix(1);
  while (true) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return is_plain_segment(path);
    if (slash == 0 || !is_plain_segment(path.substr(0, slash))) return false;
    path.remove_prefix(slash + 1);
  }
}

SignInStep sign_in_step(http::Method method, std::string_view path) {
  if (!is_within(path, kSignIns)) return SignInStep::kNone;
  if (path.ends_with('/')) path.remove_suffix(1);
  using http::Method;
  if (method == Method::kPost && path == kSignIns) return SignInStep::kBegins;
  if (method == Method::kPost && path == kConfirm) return SignInStep::kConfirms;
  if (method == Method::kDelete && path == kCurrent) return SignInStep::kEnds;
  return SignInStep::kOther;
}

bool takes_file(http::Method method, std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return method == http::Method::kPost && path == "/api/v1/reconciliations";
}

namespace {

// Whether the path is for payers' pages, so not for the dashboard.
bool is_for_payers(std::string_view path) { return is_within(path, "/api/v1/payer"); }

// nullopt also for a repeated header.
std::optional<std::string_view> only(const http::Headers& headers, std::string_view name) {
  return headers.count(name) == 1 ? headers.find(name) : std::nullopt;
}

}  // namespace

bool BrowserOrigin::has_sent(const http::Headers& headers) const {
  const auto host = only(headers, "Host");
  if (!host || !equal_without_case(*host, authority_)) return false;
  const bool names_origin = headers.count("Origin") > 0;
  if (names_origin && only(headers, "Origin") != origin_) return false;
  if (headers.count("Sec-Fetch-Site") > 0) return only(headers, "Sec-Fetch-Site") == "same-origin";
  return names_origin;
}

bool BrowserOrigin::is_named_by_address(const http::Headers& headers) const {
  constexpr std::string_view kName = "localhost";
  const auto host = only(headers, "Host");
  if (!host || !authority_.starts_with(kName)) return false;
  const auto port = authority_.substr(kName.size());
  return *host == "127.0.0.1" + port || *host == "[::1]" + port;
}

namespace {

constexpr std::string_view kDocument = "/openapi.json";
// The transport passes X-Request-Id itself.
constexpr std::array<std::string_view, 7> kPassed{
    "Accept", "Idempotency-Key", "Pixledger-Project", "Pixledger-Environment",
    "Prefer", "Last-Event-ID",   "User-Agent"};
// For large, cacheable documents.
constexpr std::array<std::string_view, 2> kPassedOfDocument{"Accept-Encoding", "If-None-Match"};
constexpr std::array<std::string_view, 11> kWanted{"Retry-After",
                                                   "Content-Disposition",
                                                   "ETag",
                                                   "Vary",
                                                   "Cache-Control",
                                                   "Content-Encoding",
                                                   "Preference-Applied",
                                                   "Idempotent-Replayed",
                                                   "Allow",
                                                   http::kDeviceHeader,
                                                   http::kUserHeader};
// The API's content types; any other becomes one that no browser renders as a page.
constexpr std::array<std::string_view, 9> kTypes{
    http::kJson, http::kProblemJson,     http::kEventStream,  "text/csv; charset=utf-8",
    "text/csv",  "application/x-ndjson", "application/jsonl", "image/png",
    "image/webp"};
constexpr std::string_view kBytes = "application/octet-stream";

bool is_visible(std::string_view text, char first) {
  return std::all_of(text.begin(), text.end(), [first](char c) { return c >= first && c < 0x7F; });
}

bool is_json(std::string_view type) {
  return equal_without_case(http::without_blanks(type.substr(0, type.find(';'))), http::kJson);
}

bool has_body(const http::Request& request) {
  const auto length = request.headers.find("Content-Length");
  return request.headers.find("Transfer-Encoding") || (length && *length != "0");
}

void append(std::string& lines, std::string_view name, std::string_view value) {
  lines.append(name).append(": ").append(value).append("\r\n");
}

template <std::size_t Count>
void append_of(std::string& lines, const http::Headers& headers,
               const std::array<std::string_view, Count>& names) {
  for (const auto name : names) {
    if (const auto value = headers.find(name)) append(lines, name, *value);
  }
}

bool is_good(const http::Headers& headers, std::string_view name) {
  return headers.count(name) <= 1 && is_visible(headers.find(name).value_or(""), ' ');
}

std::string_view type_of(std::string_view type) {
  for (const auto known : kTypes) {
    if (equal_without_case(type, known)) return known;
  }
  return kBytes;
}

}  // namespace

std::optional<NotPassed> refusal_to_pass(const http::Request& request) {
  using http::Method;
  constexpr std::array kMethods{Method::kGet, Method::kPost, Method::kPatch, Method::kDelete};
  const auto& headers = request.headers;
  if (!is_plain_path(request.path)) return NotPassed{400, "The path can be understood in more than one way."};
  if (!is_visible(request.query, '!') || request.query.find('#') != std::string::npos)
    return NotPassed{400, "The query has characters that have to be percent-encoded."};
  if (is_for_payers(request.path)) return NotPassed{404, "There is no such endpoint here."};
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end())
    return NotPassed{405, "The method does not fit this address."};
  if (headers.count("Authorization") > 0)
    return NotPassed{400, "Here the sign-in's cookie says who calls: send no Authorization header."};
  const auto is_bad = [&headers](std::string_view name) { return !is_good(headers, name); };
  if (std::any_of(kPassed.begin(), kPassed.end(), is_bad) ||
      std::any_of(kPassedOfDocument.begin(), kPassedOfDocument.end(), is_bad))
    return NotPassed{400, "A header is given more than once, or has other characters than visible ASCII."};
  if (!has_body(request)) return std::nullopt;
  if (request.method == Method::kGet) return NotPassed{400, "A GET has no body."};
  const auto type = headers.count("Content-Type") == 1 ? *headers.find("Content-Type") : std::string_view();
  if (takes_file(request.method, request.path) && equal_without_case(type, http::kFileType))
    return std::nullopt;
  if (!is_json(type)) return NotPassed{415, "The body must be application/json."};
  return std::nullopt;
}

std::string passed_headers(const http::Request& request, std::string_view token, std::string_view device) {
  std::string lines;
  append_of(lines, request.headers, kPassed);
  if (request.path == kDocument) append_of(lines, request.headers, kPassedOfDocument);
  append(lines, "X-Request-Id", request.request_id);
  append(lines, "Pixledger-Caller-Address", request.caller_address);
  if (!device.empty()) append(lines, http::kDeviceHeader, device);
  if (!token.empty()) append(lines, "Authorization", "Bearer " + std::string(token));
  return lines;
}

std::span<const std::string_view> wanted_headers() { return kWanted; }

http::Reply passed_reply(ApiReply reply) {
  http::Reply passed{
      .status = reply.status,
      .body = std::move(reply.body),
      .content_type = type_of(reply.content_type),
      .headers = {{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"},
                  {"Cross-Origin-Resource-Policy", "same-origin"},
                  {"Referrer-Policy", "no-referrer"}}};
  for (auto& [name, value] : reply.headers) {
    if (name != http::kDeviceHeader && name != http::kUserHeader)
      passed.headers.push_back({name, std::move(value)});
  }
  if (passed.content_type == http::kEventStream) passed.headers.push_back({"X-Accel-Buffering", "no"});
  return passed;
}

}  // namespace pixledger::web
