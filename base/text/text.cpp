#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <utf8proc.h>
#include <utility>

#include "base/text/ascii.h"

namespace pixledger {
namespace {

// More than the longest decomposition of a code point (18, U+FDFA).
constexpr std::size_t kDecomposedMax = 32;

// Decodes the first code point of `text` and returns its byte count. For invalid UTF-8 returns 0 and sets
// `code_point` to a negative value.
std::size_t read_code_point(std::string_view text, std::int32_t& code_point) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

struct Spelling {
  std::int32_t code_point;
  std::string_view text;
};

constexpr bool operator<(const Spelling& a, const Spelling& b) { return a.code_point < b.code_point; }

// Saved lists contain folded texts: changes here need a new format number (project_lists.cpp).
constexpr Spelling kSpellings[] = {
    {0x00a1, "!"},    // ¡
    {0x00a3, "GBP"},  // £
    {0x00a5, "JPY"},  // ¥
    {0x00a6, "|"},    // ¦
    {0x00a9, "(c)"},  // ©
    {0x00ab, "\""},   // «
    {0x00ae, "(r)"},  // ®
    {0x00b0, "o"},    // °, often typed for º
    {0x00b1, "+-"},   // ±
    {0x00b4, "'"},    // ´, often typed in D´Ávila
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

// The ASCII spelling of a character that Unicode does not decompose to ASCII: "ss" for ß, "o" for ø, "-" for
// an en dash, "EUR" for the euro sign. Empty for all others.
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

// Calls `take` with every code point of the decomposition under utf8proc's `options`, spelt in ASCII where
// possible. Characters with a spelling are not decomposed: ´ would become a blank and a mark.
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

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_character(text[at]) && characters-- == 0) break;
  }
  return text.substr(0, at);
}

std::string_view first_bytes(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && continues_character(text[bytes_max])) --bytes_max;
  return text.substr(0, bytes_max);
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      encoded += c;
    else
      encoded += {'%', kHex[byte >> 4], kHex[byte & 0x0f]};
  }
  return encoded;
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

namespace {

bool is_outer_blank(std::int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return true;
    default:
      return is_hidden_character(code_point);
  }
}

// Punctuation, dashes, signs, marks and blanks. Not @, which marks an e-mail address.
bool is_between_characters(std::int32_t code_point) {
  if (code_point == '@') return false;
  if (code_point < 0x80) return true;
  const auto category = utf8proc_category(code_point);
  const bool is_combined = category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
  const bool is_punctuation = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
  const bool is_sign = category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
  return is_combined || is_punctuation || is_sign || is_outer_blank(code_point);
}

// The characters that full-width digits and letters stand for.
template <class Take>
void for_each_plain(std::int32_t code_point, Take take) {
  std::array<utf8proc_int32_t, kDecomposedMax> parts{};
  int last_boundary_class = 0;
  const auto count = utf8proc_decompose_char(
      code_point, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT), &last_boundary_class);
  const auto usable = std::clamp<utf8proc_ssize_t>(count, 0, static_cast<utf8proc_ssize_t>(kDecomposedMax));
  std::for_each(parts.begin(), parts.begin() + usable, take);
}

}  // namespace

std::string_view without_leading_blanks(std::string_view text) {
  while (!text.empty()) {
    std::int32_t code_point = 0;
    const auto size = read_code_point(text, code_point);
    if (size == 0 || !is_outer_blank(code_point)) break;
    text.remove_prefix(size);
  }
  return text;
}

std::string_view without_outer_blanks(std::string_view text) {
  std::size_t first = std::string_view::npos;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::int32_t code_point = 0;
    const auto size = read_code_point(text.substr(at), code_point);
    const bool is_blank = size > 0 && is_outer_blank(code_point);
    const auto next = at + std::max<std::size_t>(size, 1);
    if (!is_blank) {
      first = std::min(first, at);
      end = next;
    }
    at = next;
  }
  return end == 0 ? std::string_view() : text.substr(first, end - first);
}

std::optional<std::string> bare_code(std::string_view typed) {
  auto bare = bare_name(typed);
  if (bare) std::transform(bare->begin(), bare->end(), bare->begin(), to_ascii_upper);
  return bare;
}

std::string_view bare_address(std::string_view typed) {
  constexpr std::string_view kScheme = "mailto:";
  auto bare = without_outer_blanks(typed);
  const auto begin = bare.rfind('<');
  if (begin != std::string_view::npos && bare.back() == '>' &&
      bare.find('@', begin) != std::string_view::npos)
    bare = without_outer_blanks(bare.substr(begin + 1, bare.size() - begin - 2));
  if (bare.find('@') != std::string_view::npos && equal_without_case(bare.substr(0, kScheme.size()), kScheme))
    bare.remove_prefix(kScheme.size());
  return bare;
}

std::string_view bare_search(std::string_view typed) {
  const auto bare = bare_address(typed);
  return bare.empty() ? typed : bare;
}

std::optional<std::string> bare_name(std::string_view typed) {
  std::string bare;
  bool is_code = true;
  const auto take = [&](std::int32_t code_point) {
    if (code_point >= 0 && code_point < 0x80 && is_ascii_alnum(static_cast<char>(code_point)))
      bare += static_cast<char>(code_point);
    else
      is_code = is_code && is_between_characters(code_point);
  };
  while (!typed.empty() && is_code) {
    std::int32_t code_point = 0;
    const auto size = read_code_point(typed, code_point);
    if (size == 0) return std::nullopt;
    typed.remove_prefix(size);
    if (code_point < 0x80 || is_outer_blank(code_point))
      take(code_point);
    else
      for_each_plain(code_point, take);
  }
  return is_code && !bare.empty() ? std::optional(std::move(bare)) : std::nullopt;
}

namespace {

using CodePoint = std::int32_t;

constexpr CodePoint kNone = -1;
constexpr CodePoint kNonJoiner = 0x200c;
constexpr CodePoint kJoiner = 0x200d;
constexpr CodePoint kKeycap = 0x20e3;
constexpr CodePoint kBraillePatternBlank = 0x2800;
constexpr std::uint16_t kVirama = 9;  // the canonical combining class

struct Range {
  CodePoint first;
  CodePoint last;
};

template <std::size_t Count>
bool is_in(const std::array<Range, Count>& ranges, CodePoint code_point) {
  return std::any_of(ranges.begin(), ranges.end(), [code_point](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

// Hidden characters that utf8proc does not report: reserved ignorable ones, annotations, controls of
// hieroglyphs, a filler of Khitan, and a note without head.
constexpr std::array kIgnorableBesides = {Range{0x2065, 0x2065},   Range{0xfff0, 0xfffb},
                                          Range{0x13430, 0x1343f}, Range{0x16fe4, 0x16fe4},
                                          Range{0x1d159, 0x1d159}, Range{0xe0000, 0xe0fff}};
// The most marks that writing systems need on a letter. More would cover adjacent lines.
constexpr int kMarksMax = 8;
// Letters that join within a word.
constexpr std::array kArabicScript = {Range{0x0620, 0x06ff}, Range{0x0700, 0x077f}, Range{0x0870, 0x08ff},
                                      Range{0xfb50, 0xfdff}, Range{0xfe70, 0xfefc}};
constexpr std::array kIdeographs = {Range{0x3400, 0x4dbf}, Range{0x4e00, 0x9fff}, Range{0xf900, 0xfaff},
                                    Range{0x20000, 0x323af}};
constexpr std::array kMongolianLetters = {Range{0x1820, 0x1878}, Range{0x1880, 0x18aa}};
constexpr std::array kMongolianSelectors = {Range{0x180b, 0x180d}, Range{0x180f, 0x180f}};
constexpr std::array kSelectors = {Range{0xfe00, 0xfe0f}, Range{0xe0100, 0xe01ef}};
constexpr Range kEmojiSelectors{0xfe0e, 0xfe0f};
constexpr Range kSkinTones{0x1f3fb, 0x1f3ff};

bool is_in(Range range, CodePoint code_point) { return is_in(std::array{range}, code_point); }

bool is_pictograph(CodePoint code_point) {
  return utf8proc_get_property(code_point)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

bool is_virama(CodePoint code_point) { return utf8proc_get_property(code_point)->combining_class == kVirama; }

// The context of a character; kNone at the ends of the text.
struct CharacterContext {
  CodePoint before = kNone;
  CodePoint after = kNone;
  CodePoint pictograph = kNone;  // before it, skipping selectors and skin tones
  int marks = 0;                 // directly before it
};

bool is_mark(CodePoint code_point) {
  const auto category = utf8proc_category(code_point);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

// Unreadable: a mark without a letter or on too many others, and private-use characters, whose glyph depends
// on the font.
bool is_unreadable(CodePoint code_point, const CharacterContext& around) {
  if (utf8proc_category(code_point) == UTF8PROC_CATEGORY_CO) return true;
  return is_mark(code_point) && (around.before == kNone || around.marks >= kMarksMax);
}

bool is_needed_joiner(CodePoint joiner, const CharacterContext& around) {
  if (around.before == kNone || around.after == kNone) return false;
  if (is_virama(around.before) || is_virama(around.after)) return true;
  if (joiner == kJoiner) return around.pictograph != kNone && is_pictograph(around.after);
  return is_in(kArabicScript, around.before) && is_in(kArabicScript, around.after);
}

bool is_needed_selector(CodePoint selector, const CharacterContext& around) {
  if (around.before == kNone) return false;
  if (is_in(kMongolianSelectors, selector)) return is_in(kMongolianLetters, around.before);
  if (!is_in(kSelectors, selector)) return false;
  if (is_in(kIdeographs, around.before)) return true;
  if (!is_in(kEmojiSelectors, selector)) return false;
  const bool is_keycap =
      around.after == kKeycap && around.before < 0x80 &&
      (is_ascii_digit(static_cast<char>(around.before)) || around.before == '#' || around.before == '*');
  return is_keycap || is_pictograph(around.before);
}

bool is_needed(CodePoint code_point, const CharacterContext& around) {
  return code_point == kJoiner || code_point == kNonJoiner ? is_needed_joiner(code_point, around)
                                                           : is_needed_selector(code_point, around);
}

// Calls `take` with each character's bytes and whether it is hidden, until it returns false.
template <class Take>
void for_each_character(std::string_view text, Take take) {
  CharacterContext around;
  while (!text.empty()) {
    CodePoint code_point = 0;
    const auto size = std::max<std::size_t>(read_code_point(text, code_point), 1);
    const auto bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (code_point < 0x80) {
      around = {.before = code_point};
      if (!take(bytes, code_point, false)) return;
      continue;
    }
    around.after = kNone;
    if (!text.empty()) read_code_point(text, around.after);
    const bool is_hidden = (is_hidden_character(code_point) && !is_needed(code_point, around)) ||
                           is_unreadable(code_point, around);
    if (!take(bytes, code_point, is_hidden)) return;
    around.marks = is_mark(code_point) ? around.marks + 1 : 0;
    if (is_pictograph(code_point))
      around.pictograph = code_point;
    else if (!is_in(kEmojiSelectors, code_point) && !is_in(kSkinTones, code_point))
      around.pictograph = kNone;
    around.before = code_point;
  }
}

}  // namespace

bool is_hidden_character(CodePoint code_point) {
  if (code_point < 0xa0) return false;
  const auto category = utf8proc_category(code_point);
  return utf8proc_get_property(code_point)->ignorable || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || code_point == kBraillePatternBlank ||
         is_in(kIgnorableBesides, code_point);
}

bool holds_hidden_characters(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return false;
  bool found = false;
  for_each_character(text, [&found](std::string_view, CodePoint, bool is_hidden) {
    found = is_hidden;
    return !found;
  });
  return found;
}

std::string with_hidden_escaped(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for_each_character(text, [&shown](std::string_view bytes, CodePoint code_point, bool is_hidden) {
    if (!is_hidden) {
      shown += bytes;
      return true;
    }
    std::array<char, 16> escape{};
    std::snprintf(escape.data(), escape.size(), code_point > 0xffff ? "\\U%08x" : "\\u%04x",
                  static_cast<unsigned>(code_point));
    shown += escape.data();
    return true;
  });
  return shown;
}

}  // namespace pixledger
