#include "base/net/http_url.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "base/text/ascii.h"

namespace pixledger {

std::optional<HostPort> HostPort::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);

  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of(" \t[]/") != std::string_view::npos) return std::nullopt;
  if (bracketed != (host.find(':') != std::string_view::npos)) return std::nullopt;

  const auto port = whole_number<std::uint16_t>(digits);
  return port ? std::optional(HostPort{std::string(host), *port}) : std::nullopt;
}

std::string HostPort::text() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string HostPort::text_unbound() const {
  auto whole = text();
  if (port == 0) whole.replace(whole.rfind(':'), std::string::npos, " with any free port");
  return whole;
}

void write_port_file(const std::filesystem::path& file, std::uint16_t port) {
  auto fresh = file;
  fresh += ".new";
  std::ofstream stream(fresh, std::ios::trunc);
  stream << port << '\n';
  stream.close();
  if (!stream) throw std::system_error(errno, std::generic_category(), "cannot write " + fresh.string());
  std::filesystem::rename(fresh, file);
}

namespace {

bool is_host_character(char c) {
  return is_ascii_alnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
}

bool is_path_character(char c) {
  return is_ascii_alnum(c) || std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}

bool names_port(std::string_view authority) {
  const auto bracket = authority.rfind(']');
  const auto from = bracket == std::string_view::npos ? 0 : bracket;
  return authority.find(':', from) != std::string_view::npos;
}

}  // namespace

std::optional<HttpUrl> HttpUrl::parse(std::string_view text) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  HttpUrl url;
  url.is_tls = equal_without_case(text.substr(0, kHttps.size()), kHttps);
  if (!url.is_tls && !equal_without_case(text.substr(0, kHttp.size()), kHttp)) return std::nullopt;
  text.remove_prefix(url.is_tls ? kHttps.size() : kHttp.size());

  const auto slash = std::min(text.find('/'), text.size());
  std::string authority(text.substr(0, slash));
  if (!std::all_of(authority.begin(), authority.end(), is_host_character)) return std::nullopt;
  if (!names_port(authority)) authority += ":" + std::to_string(url.is_tls ? kHttpsPort : kHttpPort);
  const auto place = HostPort::parse(authority);
  if (!place || place->port == 0) return std::nullopt;
  url.host = to_lower_case(place->host);
  url.port = place->port;

  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (!std::all_of(url.path.begin(), url.path.end(), is_path_character)) return std::nullopt;
  return url;
}

std::string HttpUrl::authority() const {
  const std::string text = HostPort{host, port}.text();
  if (port != (is_tls ? kHttpsPort : kHttpPort)) return text;
  return text.substr(0, text.rfind(':'));
}

std::string HttpUrl::origin() const { return (is_tls ? "https://" : "http://") + authority(); }

}  // namespace pixledger
