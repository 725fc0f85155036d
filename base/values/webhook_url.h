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

// Where webhooks go. Stricter than RFC 3986: one reading only, so that what was checked is what is used.
struct WebhookUrl {
  bool https = true;
  std::string host;  // lower case; IPv6 addresses without brackets
  std::uint16_t port = 443;
  std::string path;  // with the query; at least "/"

  // The host as an address when the URL names one.
  std::optional<IpAddress> address() const;
  // The value of the Host header: the port only where it is not the scheme's own.
  std::string host_header() const;
};

// A target that is not acceptable, with what to tell its owner: "must …".
struct TargetRefused {
  std::string reason;
};

// Refuses credentials, fragments, control characters and white space, and hosts that are numbers in any other
// form than four decimal parts (127.1, 0x7f000001, 0177.0.0.1, 2130706433): resolvers read those as
// addresses.
std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url);
// The same by another rule for names. With underscores it is for development alone.
std::variant<WebhookUrl, TargetRefused> parse_webhook_url(std::string_view url, HostNames names);

// Where a browser is sent: http or https, without credentials or fragment, ASCII, at most 2048 bytes. Kept as
// it was sent.
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

// Whether an address belongs to the public Internet: no loopback, private, link-local, metadata,
// documentation, multicast, translation or tunnel range (IANA special-purpose address registries), nor
// Azure's metadata service, which has an address of the public Internet.
bool is_public_address(const IpAddress& address);

}  // namespace pixledger
