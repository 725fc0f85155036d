#include "http/api/keys/key_body.h"

#include <string>

#include "base/values/given_time.h"
#include "http/api/common/environments.h"

namespace pixledger::http {
namespace {

std::string scopes_rule() { return "must be a list of at least one of " + domain::ScopeSet::all().text(); }

domain::ScopeSet read_scopes(const JsonObject& body) {
  const auto texts = body.optional_texts("scopes", scopes_rule());
  if (!texts) return domain::ScopeSet::all();
  std::string joined;
  for (const auto text : *texts) {
    if (!joined.empty()) joined += ',';
    joined += text;
  }
  const auto scopes = domain::ScopeSet::parse(joined);
  if (!scopes) body.violation("scopes", scopes_rule());
  return scopes.value_or(domain::ScopeSet::all());
}

// An address without the length of its network is that one.
std::optional<Cidr> parse_range(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return Cidr::parse(text);
  const auto address = IpAddress::parse(text);
  if (!address) return std::nullopt;
  return Cidr::parse(std::string(text) + "/" + std::to_string(address->size() * 8));
}

std::vector<Cidr> read_allowed_callers(const JsonObject& body) {
  static_assert(kAllowedIpsMax == 100, "the number in the text");
  constexpr std::string_view kRule =
      "must be a list of at most 100 addresses and ranges of them such as 203.0.113.7 or 2001:db8::/32";
  const auto texts = body.optional_texts("allowedIps", kRule);
  std::vector<Cidr> ranges;
  if (!texts) return ranges;
  bool is_valid = texts->size() <= kAllowedIpsMax;
  for (std::size_t i = 0; is_valid && i < texts->size(); ++i) {
    const auto range = parse_range((*texts)[i]);
    is_valid = range.has_value();
    if (range) ranges.push_back(*range);
  }
  if (!is_valid) body.violation("allowedIps", std::string(kRule));
  return ranges;
}

}  // namespace

std::optional<NewKeyBody> read_new_key(const JsonObject& body, const TimeZone& zone, Timestamp now) {
  const auto environment = body.required<EnvironmentText>("environment");
  auto name = body.optional<domain::ApiKeyName>("name");
  const auto scopes = read_scopes(body);
  const auto expiry = body.optional<GivenTime>("expiresAt");
  const auto expires_at = expiry ? std::optional(zone.first_of(*expiry)) : std::nullopt;
  auto allowed_callers = read_allowed_callers(body);
  if (expires_at && *expires_at <= now) body.violation("expiresAt", "must be in the future");
  if (!environment) return std::nullopt;
  return NewKeyBody{.environment = environment->environment,
                    .name = std::move(name),
                    .scopes = scopes,
                    .expires_at = expires_at,
                    .allowed_callers = std::move(allowed_callers)};
}

}  // namespace pixledger::http
