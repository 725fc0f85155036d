#pragma once

#include <vector>

#include "base/http/message/request.h"
#include "base/values/ip_address.h"

namespace pixledger::http {

// Whether one of the ranges contains the address.
bool is_within(const IpAddress& address, const std::vector<Cidr>& ranges);

// Whom a trusted proxy speaks for. Each proxy appends to X-Forwarded-For the address that it was called from,
// so the list is read from its end for as long as the address read last is a trusted proxy's; what stands
// before that anybody can have written. An entry that is no address ends the reading: the caller is then the
// address read before it. Asserts that `peer` is trusted.
IpAddress forwarded_caller(const IpAddress& peer, const Headers& headers,
                           const std::vector<Cidr>& trusted_proxies);

}  // namespace pixledger::http
