#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/values/internet_address.h"
#include "base/values/ip_address.h"

namespace pixledger {

constexpr std::size_t kWebhookUrlBytesMax = 2048;

// A webhook target. Stricter than RFC 3986, so that checks and use never parse it differently.
struct WebhookUrl {
  bool https = true;
  std::string host;  // lower case; IPv6 addresses without brackets
  std::uint16_t port = 443;
  std::string path;  // with the query; at least "/"

  // The address, if the URL's host is one.
  std::optional<IpAddress> address() const;
  // The value of the Host header; omits the scheme's default port.
  std::string host_header() const;
};

// A rejected target, with the reason for its owner: "must …".
struct TargetRefused {
  std::string reason;
};

// Rejects credentials, fragments, control characters, white space, and numeric hosts other than four decimal
// parts (127.1, 0x7f000001, 0177.0.0.1, 2130706433), which resolvers read as addresses.
std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url);
// The same with another rule for names. Allow underscores only in development.
std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url, HostNames names);

// A URL for redirecting a browser: http or https, without credentials or fragment, ASCII, at most 2048 bytes.
// Stored unchanged.
class PageUrl {
 public:
  static constexpr std::string_view kRule =
      "must be an https:// address (http:// in the sandbox alone) of at most 2048 bytes, in ASCII, without "
      "credentials or a fragment";

  static std::optional<PageUrl> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_https() const { return is_https_; }

  friend bool operator==(const PageUrl&, const PageUrl&) = default;

 private:
  PageUrl(std::string text, bool is_https) : text_(std::move(text)), is_https_(is_https) {}

  std::string text_;
  bool is_https_;
};

// Whether an address is public: no loopback, private, link-local, metadata, documentation, multicast,
// translation or tunnel range (IANA special-purpose address registries). Also excludes Azure's metadata
// service, whose address is in a public range.
bool is_public_address(const IpAddress& address);

}  // namespace pixledger
