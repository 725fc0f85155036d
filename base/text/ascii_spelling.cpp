#include "base/text/ascii_spelling.h"

#include <algorithm>
#include <iterator>

namespace pixledger {
namespace {

struct Spelling {
  std::int32_t code_point;
  std::string_view text;
};

constexpr bool operator<(const Spelling& a, const Spelling& b) { return a.code_point < b.code_point; }

// Saved lists hold folded texts: whoever changes this raises the number of their format (list_snapshot.cpp).
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

}  // namespace

std::string_view ascii_spelling(std::int32_t code_point) {
  if (code_point < 0x80) return {};
  const auto* found =
      std::lower_bound(std::begin(kSpellings), std::end(kSpellings), Spelling{code_point, {}});
  return found != std::end(kSpellings) && found->code_point == code_point ? found->text : std::string_view();
}

}  // namespace pixledger
