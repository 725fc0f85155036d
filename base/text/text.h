#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger {

// Valid UTF-8 (no surrogates, no overlong forms) without the control characters C0, DEL and C1.
bool is_clean_text(std::string_view text);

// Whether a reader sees something of a clean text: it has a character beside white space and format
// characters (general categories Z and Cf: U+200B, U+202E), and no noncharacter (U+FFFF and its like, which
// are meant for no text).
bool is_visible_text(std::string_view text);

// What some programs put before UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
std::string_view without_byte_order_mark(std::string_view text);

// Code points of valid UTF-8.
std::size_t count_characters(std::string_view text);

// The beginning of valid UTF-8, at most that many code points of it.
std::string_view first_characters(std::string_view text, std::size_t characters);

// The longest beginning of valid UTF-8 that has at most that many bytes and ends where a character does.
std::string_view first_bytes(std::string_view text, std::size_t bytes_max);

// How many bytes the character takes that begins with this one (RFC 3629 §3).
constexpr std::size_t utf8_size(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

// The form in which texts are compared for search: compatibility decomposition, marks dropped, spelt in
// ASCII as far as ascii_spelling() knows how, case folded. Works on any bytes; those that are not UTF-8 are
// dropped. Folding twice changes nothing.
std::string fold(std::string_view text);

// Decomposes (NFKD), drops marks, spells in ASCII what ascii_spelling() knows and drops everything else
// outside 0x20 to 0x7e: "São João – Bäckerei Groß" becomes "Sao Joao - Backerei Gross".
std::string to_printable_ascii(std::string_view text);

// Text for HTML, also inside quoted attributes.
std::string escape_html(std::string_view text);

// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
std::string percent_encode(std::string_view text);

// Whether a reader's mail program would make a link of a part of the text: "://" or "www." in any case.
bool holds_web_address(std::string_view text);

// Whether a text may hold a web address. Names may not: e-mails show them to people who trust the sender.
enum class WebAddress { kTaken, kRefused };

// "must be MIN to MAX characters without control characters, …", made by the compiler.
template <std::size_t Min, std::size_t Max, WebAddress Address>
class BoundedTextRule {
 public:
  static constexpr std::string_view text() { return {kBuffer.characters.data(), kBuffer.size}; }

 private:
  struct Buffer {
    std::array<char, 160> characters{};
    std::size_t size = 0;

    constexpr void add(std::string_view part) {
      for (const char c : part) characters[size++] = c;
    }
    constexpr void add(std::size_t number) {
      if (number >= 10) add(number / 10);
      characters[size++] = static_cast<char>('0' + number % 10);
    }
  };

  static constexpr Buffer make() {
    Buffer buffer;
    buffer.add("must be ");
    buffer.add(Min);
    buffer.add(" to ");
    buffer.add(Max);
    buffer.add(" characters without control or invisible ones, at least one of them visible");
    if (Address == WebAddress::kRefused) buffer.add(", and hold neither :// nor www.");
    return buffer;
  }

  static constexpr Buffer kBuffer = make();
};

// Clean, visible text of Min to Max code points, kept as it was sent. The tag keeps texts of different
// meaning apart.
template <std::size_t Min, std::size_t Max, class Tag = void, WebAddress Address = WebAddress::kTaken>
class BoundedText {
 public:
  static constexpr std::string_view kRule = BoundedTextRule<Min, Max, Address>::text();

  static std::optional<BoundedText> parse(std::string_view text) {
    if (!is_clean_text(text) || !is_visible_text(text)) return std::nullopt;
    if (Address == WebAddress::kRefused && holds_web_address(text)) return std::nullopt;
    return parse_stored(text);
  }

  // What has been recorded stands: nobody may see it, or a name may hold a web address.
  static std::optional<BoundedText> parse_stored(std::string_view text) {
    if (!is_clean_text(text)) return std::nullopt;
    const std::size_t characters = count_characters(text);
    if (characters < Min || characters > Max) return std::nullopt;
    return BoundedText(std::string(text));
  }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const BoundedText&, const BoundedText&) = default;

 private:
  explicit BoundedText(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// fold(), with runs of blanks as one: people do not see how many there are. Taking it twice changes nothing.
inline std::string search_form(std::string_view text) {
  auto folded = fold(text);
  const auto end = std::unique(folded.begin(), folded.end(),
                               [](char one, char next) { return one == ' ' && next == ' '; });
  folded.erase(end, folded.end());
  return folded;
}

// What people type or paste.

// Without the blanks and hidden characters around it, of any writing system, that come along with what is
// copied.
std::string_view without_outer_blanks(std::string_view text);
std::string_view without_leading_blanks(std::string_view text);

// The letters and digits of a number or code, in capitals: without punctuation, dashes, blanks and hidden
// characters of any kind; full-width ones count as what they stand for. nullopt where there is something
// else, or nothing.
std::optional<std::string> bare_code(std::string_view typed);
// The same in the case in which it is typed, for names whose case matters.
std::optional<std::string> bare_name(std::string_view typed);

// The e-mail address within "<ana@example.com>", "Ana <ana@example.com>" or "mailto:ana@example.com", as mail
// programs copy it; otherwise the text without the blanks around it. May be empty.
std::string_view bare_address(std::string_view typed);

// Characters that a reader does not see, and that change what a reader sees: bidirectional controls,
// characters without width, tags, fillers, line and paragraph separators (Unicode:
// Default_Ignorable_Code_Point, and some beside it). A name that holds one looks like another name.

// By itself, whatever stands beside it.
bool is_hidden_character(std::int32_t code_point);

// Whether valid UTF-8 holds a hidden character that its writing system does not need there, or one that no
// reader can know: of private use, a combining mark at the beginning, or more than eight of them in a row.
// Some need a few: a zero-width joiner within an emoji or beside a virama, a zero-width non-joiner within a
// word in Arabic script or beside a virama, a variation selector behind an emoji, a CJK ideograph or a
// Mongolian letter.
bool holds_hidden_characters(std::string_view text);

// The text as people are to see it: hidden characters that holds_hidden_characters() finds are spelt as
// escapes, as in "Maria\u202e". Works on any bytes.
std::string with_hidden_escaped(std::string_view text);

}  // namespace pixledger
