#include "web/site/site_routes.h"

#include <array>

#include "base/http/message/percent.h"

namespace pixledger::web {
namespace {

struct Known {
  std::string_view name;
  SitePlace place;
  std::string_view pattern;
  bool is_post = false;
};

constexpr std::array<Known, 4> kAlone{{{"/healthz", SitePlace::kHealth, "/healthz"},
                                       {"/readyz", SitePlace::kReady, "/readyz"},
                                       {"/metrics", SitePlace::kMetrics, "/metrics"},
                                       {"/favicon.ico", SitePlace::kIcon, "/favicon.ico"}}};
constexpr std::array<Known, 7> kOfSession{{{"embed", SitePlace::kEmbed, "/pay/:token/embed"},
                                           {"live", SitePlace::kLive, "/pay/:token/live"},
                                           {"receipt", SitePlace::kReceipt, "/pay/:token/receipt"},
                                           {"proof", SitePlace::kProof, "/pay/:token/proof"},
                                           {"customer", SitePlace::kCustomer, "/pay/:token/customer", true},
                                           {"charges", SitePlace::kCharges, "/pay/:token/charges", true},
                                           {"simulate", SitePlace::kSimulate, "/pay/:token/simulate", true}}};

template <std::size_t Count>
const Known* find(const std::array<Known, Count>& known, std::string_view name) {
  for (const auto& each : known) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

SiteRoute route_of_session(std::string_view token, std::string_view what, bool has_more) {
  // Some who pass links on end them with a slash.
  if (what.empty())
    return {.place = SitePlace::kPage, .pattern = "/pay/:token", .token = token, .depth = has_more ? 1 : 0};
  constexpr std::string_view kLogo = "logo/";
  if (what.starts_with(kLogo))
    return {.place = SitePlace::kLogo,
            .pattern = "/pay/:token/logo/:digest",
            .token = token,
            .rest = what.substr(kLogo.size()),
            .depth = 2};
  const auto* known = find(kOfSession, what);
  if (!known) return {};
  return {.place = known->place,
          .pattern = known->pattern,
          .is_post = known->is_post,
          .token = token,
          .depth = 1};
}

}  // namespace

SiteRoute site_route(std::string_view path) {
  constexpr std::string_view kPay = "/pay/";
  constexpr std::string_view kAssets = "assets/";
  if (const auto* alone = find(kAlone, path)) return {.place = alone->place, .pattern = alone->pattern};
  if (!path.starts_with(kPay)) return {};
  path.remove_prefix(kPay.size());
  if (path == "button.js") return {.place = SitePlace::kButton, .pattern = "/pay/button.js"};
  if (path.starts_with(kAssets))
    return {.place = SitePlace::kScript, .pattern = "/pay/assets/:name", .rest = path};
  const auto slash = path.find('/');
  const bool has_more = slash != std::string_view::npos;
  return route_of_session(path.substr(0, slash), has_more ? path.substr(slash + 1) : std::string_view(),
                          has_more);
}

std::optional<std::string> form_value(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const auto equals = item.find('=');
    if (item.substr(0, equals) != name) continue;
    const auto value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    return http::percent_decode(value, http::Plus::kIsBlank);
  }
  return std::nullopt;
}

bool is_of_this_site(const http::Headers& headers, std::string_view origin) {
  if (const auto site = headers.find("Sec-Fetch-Site")) return *site == "same-origin";
  const auto from = headers.find("Origin");
  if (!from || *from == origin) return true;
  const auto host = headers.find("Host");
  const auto scheme_end = from->find("://");
  return host && scheme_end != std::string_view::npos && from->substr(scheme_end + 3) == *host;
}

}  // namespace pixledger::web
