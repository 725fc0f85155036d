#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/request.h"
#include "web/common/payer_session.h"
#include "web/site/pages/page.h"

namespace pixledger::web {

// What an address of the payers' pages means.
enum class SitePlace {
  kNowhere,
  kPage,      // /pay/TOKEN
  kEmbed,     // /pay/TOKEN/embed
  kLive,      // /pay/TOKEN/live
  kReceipt,   // /pay/TOKEN/receipt
  kProof,     // /pay/TOKEN/proof
  kLogo,      // /pay/TOKEN/logo/DIGEST
  kCustomer,  // posts
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
  std::string_view pattern = "";  // for logs and metrics, which no token may come into; a literal
  bool is_post = false;
  std::string_view token{};  // as it stands in the address
  std::string_view rest{};   // a logo's digest; of an asset what is behind "/pay/"
  int depth = 0;             // segments behind "/pay/TOKEN"
};

// The views are into `path`.
SiteRoute site_route(std::string_view path);

// The value of a parameter of a query or form (application/x-www-form-urlencoded), decoded. nullopt when it
// is not there, or not UTF-8.
std::optional<std::string> form_value(std::string_view text, std::string_view name);

// Whether a post comes from a page of this origin, as the browser says it: by Sec-Fetch-Site, or before there
// was that by Origin, which names the host that was asked or `origin`, where the pages are known to be.
// Programs that are no browsers say neither.
//
// There is no form token: whoever knows the address knows the session's token, which is in no cookie that a
// browser would send along for somebody who does not.
bool is_of_this_site(const http::Headers& headers, std::string_view origin);

// Of what a payer's browser prefers, Portuguese where it says nothing of either.
Language preferred_language(const http::Headers& headers);

// "pt", "pt-BR", "en-US"; nullopt for another language.
std::optional<Language> language_of_tag(std::string_view tag);

// What a payer wrote, of a form's body.
FormEntry read_entry(std::string_view body);

// The same for the API: documents and telephones bare of the signs that people write them with. `caller`: the
// payer's address.
std::string customer_json(const FormEntry& entry, std::string_view caller);

// Which of the form's fields the API named.
std::vector<std::string> wrong_fields(const ApiError& error);

}  // namespace pixledger::web
