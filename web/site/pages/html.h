#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pixledger::web {

// Markup that the program itself says: made of literals alone, by the compiler.
class Markup {
 public:
  template <std::size_t Size>
  consteval Markup(const char (&literal)[Size]) : text_(literal, Size - 1) {}

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Writes HTML. Escaping is by type: what is no literal is text, in which nothing is markup, wherever it
// stands between tags or in the quotes of an attribute.
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
  // Written by another one of these.
  Html& add(const Html& part) {
    html_.append(part.html_);
    return *this;
  }

  std::string take() && { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace pixledger::web
