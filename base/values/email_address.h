#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger {

// An e-mail address that is safe to put into a mail header: a dot-string before the one `@` (RFC 5321
// §4.1.2, at most 64 characters) and a dotted host name after it, at most 254 in all, ASCII only, no
// quoting. Case is kept; compare addresses of people through fold().
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

}  // namespace pixledger
