#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/request.h"
#include "web/common/payer_session.h"
#include "web/site/pages/page.h"

namespace pixledger::web {

// The meaning of a path of the payers' pages.
enum class SitePlace {
  kNowhere,
  kPage,      // /pay/TOKEN
  kEmbed,     // /pay/TOKEN/embed
  kLive,      // /pay/TOKEN/live
  kReceipt,   // /pay/TOKEN/receipt
  kProof,     // /pay/TOKEN/proof
  kLogo,      // /pay/TOKEN/logo/DIGEST
  kCustomer,  // kCustomer, kCharges and kSimulate are POSTs
  kCharges,
  kSimulate,
  kScript,  // /pay/assets/…
  kButton,  // /pay/button.js
  kIcon,    // /favicon.ico
  kHealth,  // /healthz
  kReady,   // /readyz
  kMetrics  // /metrics
};

struct SiteRoute {
  SitePlace place = SitePlace::kNowhere;
  std::string_view pattern = "";  // a literal for logs and metrics, which must not contain tokens
  bool is_post = false;
  std::string_view token{};  // as written in the path
  std::string_view rest{};   // a logo's digest; an asset's path after "/pay/"
  int depth = 0;             // segments after "/pay/TOKEN"
};

// The route has views into `path`.
SiteRoute site_route(std::string_view path);

// The decoded value of a query or form parameter (application/x-www-form-urlencoded). nullopt if it is
// missing or not UTF-8.
std::optional<std::string> form_value(std::string_view text, std::string_view name);

// Whether a POST comes from a page of this origin, by Sec-Fetch-Site or, from older browsers, by Origin,
// which must be the requested host or `origin`. Programs that are not browsers send neither and pass.
//
// There is no form token: the URL contains the session's token, and no cookie authenticates a forged request.
bool is_of_this_site(const http::Headers& headers, std::string_view origin);

// The language that the payer's browser prefers; Portuguese by default.
Language preferred_language(const http::Headers& headers);

// "pt", "pt-BR", "en-US"; nullopt for other languages.
std::optional<Language> language_of_tag(std::string_view tag);

// Reads the payer's data from a form's body.
FormEntry read_entry(std::string_view body);

// The same for the API: documents and telephones without punctuation. `caller`: the payer's address.
std::string customer_json(const FormEntry& entry, std::string_view caller);

// The form's fields that the API reported as invalid.
std::vector<std::string> wrong_fields(const ApiError& error);

}  // namespace pixledger::web
