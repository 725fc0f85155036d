#include "base/net/resolver.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace pixledger {
namespace {

std::optional<IpAddress> address_of(const addrinfo& entry) {
  if (entry.ai_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &address.sin_addr, bytes.size());
    return IpAddress::from_v4(bytes);
  }
  if (entry.ai_family == AF_INET6) {
    sockaddr_in6 address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
    return IpAddress::from_v6(bytes);
  }
  return std::nullopt;
}

}  // namespace

std::vector<IpAddress> SystemResolver::resolve(const std::string& host) const {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<IpAddress> addresses;
  for (const auto* entry = list; entry; entry = entry->ai_next) {
    const auto address = address_of(*entry);
    if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end())
      addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace pixledger
