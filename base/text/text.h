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

// Whether a clean text is visible. It needs a character that is neither white space nor a format character
// (general categories Z and Cf: U+200B, U+202E). It must have no noncharacter such as U+FFFF.
bool is_visible_text(std::string_view text);

// A prefix that some programs write before UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
std::string_view without_byte_order_mark(std::string_view text);

// Counts code points of valid UTF-8.
std::size_t count_characters(std::string_view text);

// The prefix of valid UTF-8 with at most that many code points.
std::string_view first_characters(std::string_view text, std::size_t characters);

// The longest prefix of valid UTF-8 with at most that many bytes and no cut character.
std::string_view first_bytes(std::string_view text, std::size_t bytes_max);

// The byte count of the character with this lead byte (RFC 3629 §3).
constexpr std::size_t utf8_size(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

// Normalizes a text for search: compatibility decomposition, marks removed, spelt in ASCII where
// ascii_spelling() has a spelling, case folded. Accepts any bytes and drops invalid UTF-8. Idempotent.
std::string fold(std::string_view text);

// Decomposes (NFKD), drops marks, applies ascii_spelling() and drops everything else outside 0x20 to 0x7e:
// "São João – Bäckerei Groß" becomes "Sao Joao - Backerei Gross".
std::string to_printable_ascii(std::string_view text);

// Escapes text for HTML, also inside quoted attributes.
std::string escape_html(std::string_view text);

// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
std::string percent_encode(std::string_view text);

// Whether mail programs would make part of the text a link: "://" or "www." in any case.
bool holds_web_address(std::string_view text);

// Whether a text may contain a web address. Names may not: e-mails show them to readers who trust the sender.
enum class WebAddress { kTaken, kRefused };

// "must be MIN to MAX characters without control characters, …", built at compile time.
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

// Clean, visible text of Min to Max code points, stored unchanged. The tag separates texts of different
// meaning.
template <std::size_t Min, std::size_t Max, class Tag = void, WebAddress Address = WebAddress::kTaken>
class BoundedText {
 public:
  static constexpr std::string_view kRule = BoundedTextRule<Min, Max, Address>::text();

  static std::optional<BoundedText> parse(std::string_view text) {
    if (!is_clean_text(text) || !is_visible_text(text)) return std::nullopt;
    if (Address == WebAddress::kRefused && holds_web_address(text)) return std::nullopt;
    return parse_stored(text);
  }

  // Accepts recorded texts that today's rules reject: invisible ones, and names with a web address.
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

// The texts with `separator` between them; does not separate the empty ones at the beginning.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : separator).append(text);
  return all;
}

// fold() with runs of blanks collapsed to one. Idempotent.
inline std::string search_form(std::string_view text) {
  auto folded = fold(text);
  const auto end = std::unique(folded.begin(), folded.end(),
                               [](char one, char next) { return one == ' ' && next == ' '; });
  folded.erase(end, folded.end());
  return folded;
}

// Text that people type or paste.

// Strips surrounding blanks and hidden characters of any writing system, which copying adds.
std::string_view without_outer_blanks(std::string_view text);
std::string_view without_leading_blanks(std::string_view text);

// The letters and digits of a number or code, in capitals. Drops punctuation, dashes, blanks and hidden
// characters; converts full-width characters. nullopt if anything else remains, or nothing.
std::optional<std::string> bare_code(std::string_view typed);
// The same, keeping the case.
std::optional<std::string> bare_name(std::string_view typed);

// The e-mail address within "<ana@example.com>", "Ana <ana@example.com>" or "mailto:ana@example.com", the
// forms that mail programs copy. Otherwise the text without surrounding blanks. May be empty.
std::string_view bare_address(std::string_view typed);
// The same for a search; the text as it is if nothing remains.
std::string_view bare_search(std::string_view typed);

// Hidden characters are invisible or change how a text looks: bidirectional controls, zero-width characters,
// tags, fillers, line and paragraph separators (Unicode: Default_Ignorable_Code_Point, and some more). They
// make one name look like another.

// Regardless of neighbouring characters.
bool is_hidden_character(std::int32_t code_point);

// Whether valid UTF-8 contains a hidden character that its writing system does not need there, or an
// unreadable one. Unreadable are private-use characters, a combining mark at the beginning, and more than
// eight marks in a row.
//
// Allowed are: a zero-width joiner within an emoji or next to a virama; a zero-width non-joiner within a word
// in Arabic script or next to a virama; a variation selector after an emoji, a CJK ideograph or a Mongolian
// letter.
bool holds_hidden_characters(std::string_view text);

// Text for display: escapes the characters that holds_hidden_characters() finds, as in "Maria\u202e".
// Accepts any bytes.
std::string with_hidden_escaped(std::string_view text);

}  // namespace pixledger
