#include "web/gateway/gateway_route.h"

#include <array>

#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

struct KnownPath {
  std::string_view path;
  GatewayRoute route;
};

constexpr std::array<KnownPath, 5> kKnownPaths{{{"/healthz", {GatewayPlace::kHealth, "/healthz"}},
                                                {"/readyz", {GatewayPlace::kReady, "/readyz"}},
                                                {"/metrics", {GatewayPlace::kMetrics, "/metrics"}},
                                                {"/favicon.ico", {GatewayPlace::kIcon, "/favicon.ico"}},
                                                {"/openapi.json", {GatewayPlace::kApi, "/openapi.json"}}}};
constexpr std::string_view kSignIns = "/api/v1/sign-ins";
constexpr std::string_view kCurrent = "/api/v1/sign-ins/current";
constexpr std::string_view kConfirm = "/api/v1/sign-ins/current/confirm";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = to_ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr bool is_unreserved(char c) {
  return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// pchar (RFC 3986 §3.3) without what is encoded.
constexpr bool is_plain(char c) {
  return is_unreserved(c) || std::string_view("!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

// Of "%41".
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
  for (const auto& [known, route] : kKnownPaths) {
    if (path == known) return route;
  }
  if (is_within(path, kApi)) return {GatewayPlace::kApi, "/api/"};
  if (is_within(path, kAssets)) return {GatewayPlace::kAsset, "/assets/:name"};
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

bool is_for_payers(std::string_view path) { return is_within(path, "/api/v1/payer"); }

}  // namespace pixledger::web
