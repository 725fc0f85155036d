#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace pixledger
