#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger {

inline constexpr std::uint16_t kHttpPort = 80;
inline constexpr std::uint16_t kHttpsPort = 443;

// An e-mail address that is safe in a mail header: a dot-string before the `@` (RFC 5321 §4.1.2, at most 64
// characters), then a dotted host name. At most 254 characters, ASCII only, no quoting. Keeps case; compare
// people's addresses with fold().
class EmailAddress {
 public:
  static constexpr std::string_view kRule =
      "must be an e-mail address (name@example.com) of at most 254 characters";

  static std::optional<EmailAddress> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const EmailAddress&, const EmailAddress&) = default;

 private:
  explicit EmailAddress(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Whether the text is a host name (RFC 1123 §2.1): 1 to 253 characters, labels of 1 to 63 letters, digits
// and hyphens that neither start nor end with a hyphen. No trailing dot.
bool is_host_name(std::string_view text);

// Service names in container networks often contain underscores, which RFC 1123 and public certificates
// forbid.
enum class HostNames { kStrict, kWithUnderscores };
bool is_host_name(std::string_view text, HostNames names);

inline constexpr std::string_view kNoUnderscoreRule =
    "must be a host name without an underscore (_): letters, digits, hyphens and dots alone";
// The error for an invalid host name: kNoUnderscoreRule if only an underscore is wrong.
std::string_view host_name_rule(std::string_view text, std::string_view otherwise);

// The host of the merchant's site that a charge came from, in lower case.
class OriginHost {
 public:
  static constexpr std::string_view kRule =
      "must be a host name such as shop.example.com, without scheme, port, path or trailing dot";

  // Accepts any case.
  static std::optional<OriginHost> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const OriginHost&, const OriginHost&) = default;

 private:
  explicit OriginHost(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace pixledger
