#include <algorithm>
#include <arpa/inet.h>
#include <libpq-fe.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

#include "eventstore/postgres/ledger_uri.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kVerified = "verify-full";
constexpr std::uint32_t kLoopbackNet = 127;

struct FreeFound {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  void operator()(addrinfo* found) const { ::freeaddrinfo(found); }
};

// Parameters that libpq takes from the environment, or from the service named there, if the URI does not set
// them.
std::string default_of(std::string_view name) {
  const std::unique_ptr<PQconninfoOption, FreeFound> defaults(PQconndefaults());
  for (const auto* option = defaults.get(); option && option->keyword; ++option)
    if (name == option->keyword && option->val) return option->val;
  return {};
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24U == kLoopbackNet;
  if (address.sa_family != AF_INET6) return false;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == kLoopbackNet);
}

// Judges the text alone, since the answer of a name server may change.
bool is_loopback(const std::string& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, FreeFound> freed(found);
  return is_loopback(*found->ai_addr);
}

// An empty host is the default socket. A name with "@" is an abstract socket.
bool is_here(const std::string& host) {
  return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
         is_loopback(host);
}

}  // namespace

// An address (hostaddr) overrides the host name beside it. A service file may contain addresses as well.
std::vector<std::string> LedgerUri::plain_hosts() const {
  const auto mode = sslmode.empty() && service.empty() ? default_of("sslmode") : sslmode;
  if (mode == kVerified) return {};
  const auto addressed = addresses.empty() && service.empty() ? default_of("hostaddr") : std::string();
  const bool may_go_elsewhere = !service.empty() || !addressed.empty();
  std::vector<std::string> plain;
  const auto count = std::max(hosts.size(), addresses.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto host = i < hosts.size() ? hosts[i] : std::string();
    const auto address = i < addresses.size() ? addresses[i] : std::string();
    if (!address.empty() ? is_loopback(address) : is_here(host) && !may_go_elsewhere) continue;
    plain.push_back(host.empty() ? address : host);
  }
  return plain;
}

}  // namespace pixledger::eventstore
