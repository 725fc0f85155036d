#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/values/internet_address.h"

namespace pixledger {

// A listening address: "127.0.0.1:8080", "[::1]:8080", "localhost:0". Port 0 selects a free port.
struct HostPort {
  static constexpr std::string_view kRule = "must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080";

  static std::optional<HostPort> parse(std::string_view text);

  std::string host;  // without brackets
  std::uint16_t port = 0;

  // The text form, with IPv6 addresses in brackets.
  std::string text() const;
  // The text form before the socket is bound: port 0 reads as "127.0.0.1 with any free port".
  std::string text_unbound() const;
};

// Writes the port and a line feed atomically: no reader sees half of it. Throws std::system_error.
void write_port_file(const std::filesystem::path& file, std::uint16_t port);

// A service's base URL: "http://127.0.0.1:8080", "https://pay.example.com". No credentials, query or
// fragment. It may have a path as prefix, without a trailing slash.
struct HttpUrl {
  static constexpr std::string_view kRule =
      "must be an http:// or https:// URL without credentials, query or fragment, such as "
      "http://127.0.0.1:8080";

  static std::optional<HttpUrl> parse(std::string_view text);

  bool is_tls = false;
  std::string host;  // in lower case, without brackets
  std::uint16_t port = 0;
  std::string path;  // "" or "/…"

  // "https://pay.example.com:8443"; omits the scheme's default port.
  std::string origin() const;
  // The value of a request's Host header.
  std::string authority() const;
};

}  // namespace pixledger
