#include "http/routing/query.h"

#include "http/message/percent.h"

namespace pixledger::http {

Query::Query(std::string_view raw) {
  while (!raw.empty()) {
    const std::size_t end = raw.find('&');
    const std::string_view pair = raw.substr(0, end);
    raw = end == std::string_view::npos ? std::string_view() : raw.substr(end + 1);

    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals + 1 == pair.size()) continue;
    // A name that cannot be decoded is the name of nothing known.
    std::optional<std::string> name = percent_decode(pair.substr(0, equals), Plus::kIsBlank);
    if (name) parameters_.push_back({std::move(*name), pair.substr(equals + 1)});
  }
}

std::optional<std::string> Query::value(std::string_view name, Violations& violations) const {
  const Parameter* found = nullptr;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name != name) continue;
    if (found) {
      violations.push_back({std::string(name), "must be given once"});
      return std::nullopt;
    }
    found = &parameter;
  }
  if (!found) return std::nullopt;

  std::optional<std::string> decoded = percent_decode(found->value, Plus::kIsBlank);
  if (!decoded) violations.push_back({std::string(name), "must be percent-encoded UTF-8"});
  return decoded;
}

}  // namespace pixledger::http
