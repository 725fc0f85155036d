#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/values/internet_address.h"

namespace pixledger {

// Where a service listens: "127.0.0.1:8080", "[::1]:8080", "localhost:0". Port 0 takes a free one.
struct HostPort {
  static constexpr std::string_view kRule = "must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080";

  static std::optional<HostPort> parse(std::string_view text);

  std::string host;  // without brackets
  std::uint16_t port = 0;

  // As it was parsed: IPv6 addresses in brackets.
  std::string text() const;
};

// Writes the port and a line feed so that nobody ever reads half of it. Throws std::system_error.
void write_port_file(const std::filesystem::path& file, std::uint16_t port);

// Where a service is reached: "http://127.0.0.1:8080", "https://pay.example.com". Without credentials, query
// or fragment; a path, which may stand before the service's own, ends without a slash.
struct HttpUrl {
  static constexpr std::string_view kRule =
      "must be an http:// or https:// URL without credentials, query or fragment, such as "
      "http://127.0.0.1:8080";

  static std::optional<HttpUrl> parse(std::string_view text);

  bool is_tls = false;
  std::string host;  // in lower case, without brackets
  std::uint16_t port = 0;
  std::string path;  // "" or "/…"

  // "https://pay.example.com:8443", without the port that the scheme has anyway.
  std::string origin() const;
  // What a request's Host says.
  std::string authority() const;
};

}  // namespace pixledger
