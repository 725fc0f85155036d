#include "base/values/webhook_url.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "base/text/ascii.h"

namespace pixledger {
namespace {

bool is_plain(char c) { return c > 0x20 && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>'; }

// Resolvers read such a host as an address (WHATWG URL, "ends in a number").
bool ends_in_a_number(std::string_view host) {
  const auto dot = host.rfind('.');
  const auto label = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (label.empty()) return false;
  if (std::all_of(label.begin(), label.end(), is_ascii_digit)) return true;
  const bool hex = label.size() >= 2 && label[0] == '0' && label[1] == 'x';
  return hex && std::all_of(label.begin() + 2, label.end(), [](char c) { return hex_digit(c) >= 0; });
}

bool is_acceptable_host(std::string_view host, HostNames names) {
  if (IpAddress::parse(host)) return true;
  return is_host_name(host, names) && !ends_in_a_number(host);
}

// "host", "host:port", "[v6]", "[v6]:port"; the port may be empty.
struct Authority {
  std::string_view host;
  std::string_view port;
};
std::optional<Authority> split_authority(std::string_view text) {
  std::string_view host = text;
  std::string_view rest;
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    const auto address = IpAddress::parse(host);
    if (!address || address->is_v4()) return std::nullopt;
  } else {
    const auto colon = text.find(':');
    host = text.substr(0, colon);
    if (colon != std::string_view::npos) rest = text.substr(colon);
  }
  if (rest.empty()) return Authority{host, {}};
  if (rest.size() < 2 || rest.front() != ':') return std::nullopt;
  return Authority{host, rest.substr(1)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto port = whole_number<std::uint16_t>(text);
  return port != 0 ? port : std::nullopt;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (to_lower_case(text.substr(0, prefix.size())) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::vector<Cidr> ranges(std::initializer_list<std::string_view> texts) {
  std::vector<Cidr> parsed;
  for (const auto text : texts) {
    auto range = Cidr::parse(text);
    assert(range.has_value());
    parsed.push_back(*std::move(range));
  }
  return parsed;
}

}  // namespace

std::optional<IpAddress> WebhookUrl::address() const { return IpAddress::parse(host); }

std::string WebhookUrl::host_header() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (https ? kHttpsPort : kHttpPort) ? name : name + ":" + std::to_string(port);
}

std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url) {
  return parse_webhook_url(url, HostNames::kStrict);
}

std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url, HostNames names) {
  if (url.size() > kWebhookUrlBytesMax)
    return TargetRefused{"must be at most " + std::to_string(kWebhookUrlBytesMax) + " bytes"};
  if (!std::all_of(url.begin(), url.end(), is_plain))
    return TargetRefused{"must be written in ASCII without white space, quotes or backslashes"};
  if (url.find('#') != std::string_view::npos) return TargetRefused{"must not have a fragment"};

  WebhookUrl parsed;
  std::string_view rest = url;
  if (take_prefix(rest, "http://"))
    parsed.https = false;
  else if (!take_prefix(rest, "https://"))
    return TargetRefused{"must begin with https://"};

  const auto path_at = std::min(rest.find_first_of("/?"), rest.size());
  const auto authority_text = rest.substr(0, path_at);
  if (authority_text.find('@') != std::string_view::npos) return TargetRefused{"must not have credentials"};
  const auto authority = split_authority(authority_text);
  if (!authority) return TargetRefused{"must have a host name, and a port from 1 to 65535 if any"};
  parsed.host = to_lower_case(authority->host);
  if (!is_acceptable_host(parsed.host, names) && is_acceptable_host(parsed.host, HostNames::kWithUnderscores))
    return TargetRefused{std::string(kNoUnderscoreRule)};
  if (!is_acceptable_host(parsed.host, names))
    return TargetRefused{"must have a host name, or an address as four decimal parts or in brackets"};
  // Canonical address form, so that equal targets have equal texts.
  if (const auto address = parsed.address()) parsed.host = address->text();

  parsed.port = parsed.https ? kHttpsPort : kHttpPort;
  if (!authority->port.empty()) {
    const auto port = parse_port(authority->port);
    if (!port) return TargetRefused{"must have a port from 1 to 65535"};
    parsed.port = *port;
  }
  parsed.path = rest.substr(path_at);
  if (parsed.path.empty() || parsed.path.front() != '/') parsed.path.insert(0, "/");
  return parsed;
}

std::optional<PageUrl> PageUrl::parse(std::string_view text) {
  const auto parsed = parse_webhook_url(text);
  const auto* url = std::get_if<WebhookUrl>(&parsed);
  if (!url) return std::nullopt;
  return PageUrl(std::string(text), url->https);
}

bool is_public_address(const IpAddress& given) {
  // Built at first use and never changed.
  static const auto kSpecialV4 =
      ranges({"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
              "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
              "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"});
  static const auto kGlobalV6 = ranges({"2000::/3"});
  static const auto kSpecialV6 = ranges({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"});
  const auto address = given.unmapped();
  if (address.is_v4()) return !is_within(address, kSpecialV4);
  return is_within(address, kGlobalV6) && !is_within(address, kSpecialV6);
}

}  // namespace pixledger
