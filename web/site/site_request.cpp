#include "web/site/site_request.h"

#include <algorithm>
#include <array>

#include "base/http/message/syntax.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/text/text.h"

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
  // Some apps append a slash to links.
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

std::optional<Language> language_of_tag(std::string_view tag) {
  const auto primary = tag.substr(0, tag.find('-'));
  if (equal_without_case(primary, "pt")) return Language::kPortuguese;
  if (equal_without_case(primary, "en")) return Language::kEnglish;
  return std::nullopt;
}

Language preferred_language(const http::Headers& headers) {
  const auto accepted = headers.joined("Accept-Language");
  std::string_view ranges = accepted;
  auto best = Language::kPortuguese;
  int its_weight = 0;
  while (!ranges.empty()) {
    auto parameters = http::next_item(ranges, ',');
    const auto language = language_of_tag(http::next_item(parameters, ';'));
    const int weight = http::weight_of(parameters);
    if (!language || weight <= its_weight) continue;
    best = *language;
    its_weight = weight;
  }
  return best;
}

namespace {

// Without surrounding blanks, of any kind, which come with pasted text.
std::string value_of(std::string_view body, std::string_view name) {
  return std::string(without_outer_blanks(form_value(body, name).value_or("")));
}

// Without the punctuation that people, word processors and messengers put between digits. The API rejects
// other characters.
std::string bare(const std::string& typed) { return bare_code(typed).value_or(typed); }

// Keeps a country code and drops the international prefix before it.
std::string bare_phone(const std::string& typed) {
  auto digits = bare(typed);
  return digits.starts_with("00") ? digits.substr(2) : digits;
}

}  // namespace

FormEntry read_entry(std::string_view body) {
  return {.name = value_of(body, "name"),
          .document = value_of(body, "document"),
          .email = value_of(body, "email"),
          .phone = value_of(body, "phone")};
}

std::string customer_json(const FormEntry& entry, std::string_view caller) {
  Json json;
  json.begin_object().field("name", entry.name).field("document", bare(entry.document));
  json.field("email", entry.email).field("phone", bare_phone(entry.phone));
  return json.field("customerIp", caller).end_object().take();
}

std::vector<std::string> wrong_fields(const ApiError& error) {
  std::vector<std::string> wrong;
  for (const auto* name : {"name", "document", "email", "phone"}) {
    const auto is_named = [name](const std::string& field) {
      return field == name || field.ends_with(std::string(".") + name);
    };
    if (std::any_of(error.fields.begin(), error.fields.end(), is_named)) wrong.emplace_back(name);
  }
  return wrong;
}

}  // namespace pixledger::web
