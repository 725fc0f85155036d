#include "http/front/bearer.h"

#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kScheme = "bearer ";

}  // namespace

std::string_view bearer_of(const Request& request) {
  const auto header = request.headers.find("Authorization");
  if (!header || header->size() <= kScheme.size() || request.headers.count("Authorization") != 1) return {};
  if (!equal_without_case(header->substr(0, kScheme.size()), kScheme)) return {};
  auto bearer = header->substr(kScheme.size());
  while (!bearer.empty() && bearer.front() == ' ') bearer.remove_prefix(1);
  return bearer;
}

}  // namespace pixledger::http
