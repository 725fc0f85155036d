#include "base/text/text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utf8proc.h>

#include "base/text/ascii.h"
#include "base/text/code_points.h"
#include "base/text/hidden_characters.h"

namespace pixledger {
namespace {

struct Spelling {
  std::int32_t code_point;
  std::string_view text;
};

constexpr bool operator<(const Spelling& a, const Spelling& b) { return a.code_point < b.code_point; }

// Saved lists hold folded texts: a change here needs a new number of their format (list_snapshot.cpp).
constexpr Spelling kSpellings[] = {
    {0x00a1, "!"},    // ¡
    {0x00a3, "GBP"},  // £
    {0x00a5, "JPY"},  // ¥
    {0x00a6, "|"},    // ¦
    {0x00a9, "(c)"},  // ©
    {0x00ab, "\""},   // «
    {0x00ae, "(r)"},  // ®
    {0x00b0, "o"},    // °, for which people write º
    {0x00b1, "+-"},   // ±
    {0x00b4, "'"},    // ´, with which people write D´Ávila
    {0x00b7, "."},    // ·
    {0x00bb, "\""},   // »
    {0x00bf, "?"},    // ¿
    {0x00c6, "AE"},   // Æ
    {0x00d0, "D"},    // Ð
    {0x00d7, "x"},    // ×
    {0x00d8, "O"},    // Ø
    {0x00de, "TH"},   // Þ
    {0x00df, "ss"},   // ß
    {0x00e6, "ae"},   // æ
    {0x00f0, "d"},    // ð
    {0x00f7, "/"},    // ÷
    {0x00f8, "o"},    // ø
    {0x00fe, "th"},   // þ
    {0x0110, "D"},    // Đ
    {0x0111, "d"},    // đ
    {0x0126, "H"},    // Ħ
    {0x0127, "h"},    // ħ
    {0x0131, "i"},    // ı
    {0x0138, "k"},    // ĸ
    {0x0141, "L"},    // Ł
    {0x0142, "l"},    // ł
    {0x014a, "N"},    // Ŋ
    {0x014b, "n"},    // ŋ
    {0x0152, "OE"},   // Œ
    {0x0153, "oe"},   // œ
    {0x0166, "T"},    // Ŧ
    {0x0167, "t"},    // ŧ
    {0x018f, "E"},    // Ə
    {0x0192, "f"},    // ƒ
    {0x0197, "I"},    // Ɨ
    {0x01b5, "Z"},    // Ƶ
    {0x01b6, "z"},    // ƶ
    {0x0237, "j"},    // ȷ
    {0x0259, "e"},    // ə
    {0x0268, "i"},    // ɨ
    {0x02bb, "'"},    // ʻ
    {0x02bc, "'"},    // ʼ
    {0x1680, " "},    // Ogham space
    {0x1e9e, "SS"},   // ẞ
    {0x2010, "-"},    // ‐
    {0x2012, "-"},    // ‒
    {0x2013, "-"},    // –
    {0x2014, "-"},    // —
    {0x2015, "-"},    // ―
    {0x2018, "'"},    // ‘
    {0x2019, "'"},    // ’
    {0x201a, "'"},    // ‚
    {0x201b, "'"},    // ‛
    {0x201c, "\""},   // “
    {0x201d, "\""},   // ”
    {0x201e, "\""},   // „
    {0x201f, "\""},   // ‟
    {0x2022, "*"},    // •
    {0x2028, " "},    // line separator
    {0x2029, " "},    // paragraph separator
    {0x2032, "'"},    // ′
    {0x2039, "'"},    // ‹
    {0x203a, "'"},    // ›
    {0x2044, "/"},    // ⁄, which ½ decomposes to
    {0x20ac, "EUR"},  // €
    {0x2212, "-"},    // −
    {0x2215, "/"},    // ∕
};

static_assert(std::is_sorted(std::begin(kSpellings), std::end(kSpellings)));

// How a character beyond ASCII is spelt in it where Unicode decomposes it to nothing of the kind: "ss" of ß,
// "o" of ø, "-" of an en dash, "EUR" of the euro sign. Empty for all others.
std::string_view ascii_spelling(std::int32_t code_point) {
  if (code_point < 0x80) return {};
  const auto* found =
      std::lower_bound(std::begin(kSpellings), std::end(kSpellings), Spelling{code_point, {}});
  return found != std::end(kSpellings) && found->code_point == code_point ? found->text : std::string_view();
}

// Calls `take` with the code point, or with the characters of its spelling.
template <class Take>
void take_spelt(utf8proc_int32_t code_point, Take take) {
  const std::string_view spelling = ascii_spelling(code_point);
  if (spelling.empty()) return take(code_point);
  for (const char c : spelling) take(c);
}

// Calls `take` with every code point that `text` decomposes to under utf8proc's `options`, spelt in ASCII
// where that can be. What has a spelling is not decomposed: ´ would become a blank and a mark.
template <class Take>
void for_each_decomposed(std::string_view text, int options, Take take) {
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const std::size_t size = read_code_point(text, code_point);
    text.remove_prefix(std::max<std::size_t>(size, 1));
    if (size == 0) continue;
    if (!ascii_spelling(code_point).empty()) {
      take_spelt(code_point, take);
      continue;
    }
    std::array<utf8proc_int32_t, kDecomposedMax> decomposed{};
    int last_boundary_class = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        code_point, decomposed.data(), static_cast<utf8proc_ssize_t>(decomposed.size()),
        static_cast<utf8proc_option_t>(options), &last_boundary_class);
    const auto usable = std::clamp<utf8proc_ssize_t>(count, 0, static_cast<utf8proc_ssize_t>(kDecomposedMax));
    std::for_each(decomposed.begin(), decomposed.begin() + usable,
                  [&take](utf8proc_int32_t part) { take_spelt(part, take); });
  }
}

// Unicode 15, section 23.7.
bool is_noncharacter(utf8proc_int32_t code_point) {
  return (code_point & 0xfffe) == 0xfffe || (code_point >= 0xfdd0 && code_point <= 0xfdef);
}

bool is_blank(utf8proc_int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CF:
      return true;
    default:
      return is_hidden_character(code_point);
  }
}

bool all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii_printable(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const std::size_t size = read_code_point(text, code_point);
    if (size == 0 || code_point < 0xa0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool is_visible_text(std::string_view text) {
  if (holds_hidden_characters(text)) return false;
  bool visible = false;
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const std::size_t size = read_code_point(text, code_point);
    if (size == 0 || is_noncharacter(code_point)) return false;
    visible = visible || !is_blank(code_point);
    text.remove_prefix(size);
  }
  return visible;
}

std::size_t count_characters(std::string_view text) {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return text.substr(0, at);
}

std::string fold(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  if (all_ascii(text)) {
    std::transform(text.begin(), text.end(), std::back_inserter(folded), to_ascii_lower);
    return folded;
  }
  constexpr int kOptions = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK;
  for_each_decomposed(text, kOptions, [&folded](utf8proc_int32_t code_point) {
    if (is_hidden_character(code_point)) return;
    if (code_point < 0x80) return folded.push_back(to_ascii_lower(static_cast<char>(code_point)));
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t size = utf8proc_encode_char(code_point, bytes.data());
    folded.append(bytes.begin(), bytes.begin() + size);
  });
  return folded;
}

std::string to_printable_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  constexpr int kOptions = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_STRIPMARK;
  for_each_decomposed(text, kOptions, [&ascii](utf8proc_int32_t code_point) {
    if (code_point >= 0x20 && code_point <= 0x7e) ascii.push_back(static_cast<char>(code_point));
  });
  return ascii;
}

bool holds_web_address(std::string_view text) {
  const std::string folded = fold(text);
  return folded.find("://") != std::string::npos || folded.find("www.") != std::string::npos;
}

}  // namespace pixledger
