#include "web/gateway/browser_origin.h"

#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

// nullopt where it is sent more than once, too.
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

}  // namespace pixledger::web
