#include "base/http/message/caller_address.h"

#include <algorithm>
#include <cassert>

#include "base/http/message/header_items.h"

namespace pixledger::http {
namespace {

// Takes the item after the last comma off the end of `rest`, without the blanks around it.
std::string_view last_item(std::string_view& rest) {
  const std::size_t comma = rest.rfind(',');
  const std::string_view item = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
  rest = comma == std::string_view::npos ? std::string_view() : rest.substr(0, comma);
  return without_blanks(item);
}

}  // namespace

bool is_within(const IpAddress& address, const std::vector<Cidr>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Cidr& range) { return range.contains(address); });
}

IpAddress forwarded_caller(const IpAddress& peer, const Headers& headers,
                           const std::vector<Cidr>& trusted_proxies) {
  assert(is_within(peer, trusted_proxies));
  const std::string forwarded = headers.joined("X-Forwarded-For");
  std::string_view rest = forwarded;
  auto caller = peer;
  while (!rest.empty() && is_within(caller, trusted_proxies)) {
    const auto before = IpAddress::parse(last_item(rest));
    if (!before) return caller;
    caller = before->unmapped();
  }
  return caller;
}

}  // namespace pixledger::http
