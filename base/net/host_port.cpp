#include "base/net/host_port.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <system_error>

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

  HostPort parsed{std::string(host), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return parsed;
}

std::string HostPort::text() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
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

}  // namespace pixledger
