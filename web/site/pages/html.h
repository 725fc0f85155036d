#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pixledger::web {

// The program's own markup: compile-time literals only.
class Markup {
 public:
  template <std::size_t Size>
  consteval Markup(const char (&literal)[Size]) : text_(literal, Size - 1) {}

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Writes HTML. Escaping is by type: everything but literals is text and is escaped, for element content and
// for quoted attributes.
class Html {
 public:
  Html& operator<<(Markup markup) {
    html_.append(markup.text());
    return *this;
  }
  Html& text(std::string_view text);
  Html& number(std::int64_t number) { return text(std::to_string(number)); }
  // ` name="value"`
  Html& attribute(Markup name, std::string_view value);
  // Appends HTML that was written separately.
  Html& add(const Html& part) {
    html_.append(part.html_);
    return *this;
  }

  std::string take() && { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace pixledger::web
