#include "http/api/common/origin_domain.h"

#include <string>
#include <string_view>

namespace pixledger::http {
namespace {

struct GivenDomain {
  static constexpr std::string_view kRule = OriginHost::kRule;
  static std::optional<GivenDomain> parse(std::string_view text) { return GivenDomain{std::string(text)}; }
  std::string text;
};

}  // namespace

std::optional<OriginHost> read_origin_domain(const JsonObject& body) {
  constexpr std::string_view kName = "originDomain";
  const auto given = body.required<GivenDomain>(kName);
  if (!given) return std::nullopt;
  auto host = OriginHost::parse(given->text);
  if (!host) body.violation(kName, std::string(host_name_rule(given->text, OriginHost::kRule)));
  return host;
}

}  // namespace pixledger::http
