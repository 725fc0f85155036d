#include "eventstore/postgres/ledger_uri.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <libpq-fe.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <system_error>
#include <variant>

#include "base/text/ascii.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kTextMax = 2'000;
constexpr std::uint32_t kPortMax = 65'535;

struct FreeInfo {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  void operator()(char* text) const { PQfreemem(text); }
};

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    parts.emplace_back(text.substr(0, text.find(',')));
    if (parts.back().size() == text.size()) return parts;
    text.remove_prefix(parts.back().size() + 1);
  }
}

// Escapes the value of a URI's parameter (RFC 3986, 2.1).
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string value;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.' || c == '-')
      value += c;
    else
      (value += '%').append({kDigits[byte >> 4U], kDigits[byte & 15U]});
  }
  return value;
}

// One port, or one for each host; empty: the default.
bool are_ports(std::string_view text) {
  return std::ranges::all_of(parts_of(text), [](const std::string& one) {
    const auto port = one.empty() ? 1 : whole_number<std::uint32_t>(one).value_or(0);
    return port >= 1 && port <= kPortMax;
  });
}

// libpq checks values only when it connects, which is too late for an error of the command line.
std::string_view rule_of_value(std::string_view name, std::string_view value) {
  const auto is_any_of = [&](std::initializer_list<std::string_view> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  if (name == "port" && !are_ports(value)) return "names an invalid port: it must be 1 to 65535";
  // Nodes must be able to write.
  if (name == "target_session_attrs" && !is_any_of({"any", "read-write", "primary"}))
    return "must have target_session_attrs read-write, primary or any";
  if (name == "sslmode" && !is_any_of({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}))
    return "must have sslmode disable, allow, prefer, require, verify-ca or verify-full";
  // libpq takes 0 as no limit.
  if (name == "connect_timeout" && whole_number<std::uint32_t>(value).value_or(0) == 0)
    return "must have connect_timeout in whole seconds, at least 1";
  return {};
}

// Returns the parts, or the violated rule, which has static lifetime.
std::variant<LedgerUri, std::string_view> take_apart(std::string_view text) {
  const auto is_uri = [&](std::string_view scheme) { return text.substr(0, scheme.size()) == scheme; };
  if (text.size() > kTextMax || (!is_uri("postgresql://") && !is_uri("postgres://"))) return LedgerUri::kRule;
  LedgerUri uri{.text = std::string(text),
                .user = {},
                .database = {},
                .hosts = {},
                .addresses = {},
                .ports = {},
                .passfile = {},
                .sslmode = {},
                .service = {}};
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeInfo> options(PQconninfoParse(uri.text.c_str(), &problem));
  const std::unique_ptr<char, FreeInfo> told(problem);
  if (!options)
    return "is no connection URI of libpq: by its form, or by a parameter that libpq does not know";
  for (const auto* option = options.get(); option->keyword; ++option) {
    const std::string_view name = option->keyword;
    if (!option->val || *option->val == '\0') continue;
    if (name == "password" || name == "sslpassword") return "may hold no password: it stands in a passfile";
    if (name == "options") return "may hold no options: pixledger sets those of its sessions";
    if (const auto rule = rule_of_value(name, option->val); !rule.empty()) return rule;
    if (name == "user") uri.user = option->val;
    if (name == "dbname") uri.database = option->val;
    if (name == "host") uri.hosts = parts_of(option->val);
    if (name == "hostaddr") uri.addresses = parts_of(option->val);
    if (name == "port") uri.ports = parts_of(option->val);
    if (name == "passfile") uri.passfile = option->val;
    if (name == "sslmode") uri.sslmode = option->val;
    if (name == "service") uri.service = option->val;
  }
  if (uri.hosts.empty() && uri.addresses.empty()) return "names no host";
  if (!uri.hosts.empty() && !uri.addresses.empty() && uri.hosts.size() != uri.addresses.size())
    return "names more or fewer addresses than hosts";
  if (uri.ports.size() > 1 && uri.ports.size() != std::max(uri.hosts.size(), uri.addresses.size()))
    return "names more or fewer ports than hosts";
  if (uri.user.empty()) return "names no user";
  if (uri.database.empty()) return "names no database";
  return uri;
}

}  // namespace

std::vector<std::string> LedgerUri::of_each_host() const {
  std::vector<std::string> uris;
  const auto count = std::max(hosts.size(), addresses.size());
  for (std::size_t i = 0; i < count; ++i) {
    auto one = text;
    // If a name appears twice, the later value counts.
    const auto add = [&](std::string_view name, const std::vector<std::string>& values) {
      if (values.empty()) return;
      one += one.find('?') == std::string::npos ? '?' : '&';
      one.append(name).append("=").append(escaped(values[values.size() == 1 ? 0 : i]));
    };
    add("host", hosts);
    add("hostaddr", addresses);
    add("port", ports);
    uris.push_back(std::move(one));
  }
  return uris;
}

std::string_view LedgerUri::rule_for(std::string_view text) {
  const auto parts = take_apart(text);
  const auto* problem = std::get_if<std::string_view>(&parts);
  return problem ? *problem : std::string_view();
}

std::optional<LedgerUri> LedgerUri::parse(std::string_view text) {
  auto parts = take_apart(text);
  if (auto* uri = std::get_if<LedgerUri>(&parts)) return std::move(*uri);
  return std::nullopt;
}

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
