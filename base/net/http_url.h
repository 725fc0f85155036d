#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pixledger {

inline constexpr std::uint16_t kHttpPort = 80;
inline constexpr std::uint16_t kHttpsPort = 443;

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
