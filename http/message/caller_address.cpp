#include "http/message/caller_address.h"

#include <algorithm>
#include <cassert>

#include "http/message/header_items.h"

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

bool is_within(const domain::IpAddress& address, const std::vector<domain::Cidr>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const domain::Cidr& range) { return range.contains(address); });
}

domain::IpAddress forwarded_caller(const domain::IpAddress& peer, const Headers& headers,
                                   const std::vector<domain::Cidr>& trusted_proxies) {
  assert(is_within(peer, trusted_proxies));
  const std::string forwarded = headers.joined("X-Forwarded-For");
  std::string_view rest = forwarded;
  auto caller = peer;
  while (!rest.empty() && is_within(caller, trusted_proxies)) {
    const auto before = domain::IpAddress::parse(last_item(rest));
    if (!before) return caller;
    caller = before->unmapped();
  }
  return caller;
}

}  // namespace pixledger::http
