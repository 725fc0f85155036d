#include "domain/values/environment.h"

namespace pixledger::domain {

std::optional<EnvironmentSet> EnvironmentSet::from_bits(std::uint32_t bits) {
  if (bits == 0 || (bits & ~kAllBits) != 0) return std::nullopt;
  return EnvironmentSet(bits);
}

std::optional<EnvironmentSet> EnvironmentSet::parse(std::string_view comma_separated) {
  std::uint32_t bits = 0;
  while (true) {
    const auto comma = comma_separated.find(',');
    const auto environment = parse_environment(comma_separated.substr(0, comma));
    if (!environment) return std::nullopt;
    bits |= only(*environment).bits();
    if (comma == std::string_view::npos) return EnvironmentSet(bits);
    comma_separated.remove_prefix(comma + 1);
  }
}

std::string EnvironmentSet::text() const {
  std::string text;
  for (const auto environment : list()) {
    if (!text.empty()) text += ',';
    text += to_string(environment);
  }
  return text;
}

std::vector<Environment> EnvironmentSet::list() const {
  std::vector<Environment> environments;
  for (const auto environment : {Environment::kLive, Environment::kSandbox}) {
    if (contains(environment)) environments.push_back(environment);
  }
  return environments;
}

}  // namespace pixledger::domain
