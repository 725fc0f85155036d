#include "base/text/hidden_characters.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utf8proc.h>

#include "base/text/ascii.h"
#include "base/text/code_points.h"

namespace pixledger {
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

// Reserved for ignorable characters, of which utf8proc knows those alone that are assigned; and annotations,
// which are hidden where nobody knows what to do with them.
constexpr std::array kIgnorableBesides = {Range{0x2065, 0x2065}, Range{0xfff0, 0xfffb},
                                          Range{0xe0000, 0xe0fff}};
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

// What stands around a character; kNone at the ends of the text.
struct Surroundings {
  CodePoint before = kNone;
  CodePoint after = kNone;
  CodePoint pictograph = kNone;  // before it, whatever selectors and skin tones follow that
};

bool is_needed_joiner(CodePoint joiner, const Surroundings& around) {
  if (around.before == kNone || around.after == kNone) return false;
  if (is_virama(around.before) || is_virama(around.after)) return true;
  if (joiner == kJoiner) return around.pictograph != kNone && is_pictograph(around.after);
  return is_in(kArabicScript, around.before) && is_in(kArabicScript, around.after);
}

bool is_needed_selector(CodePoint selector, const Surroundings& around) {
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

bool is_needed(CodePoint code_point, const Surroundings& around) {
  return code_point == kJoiner || code_point == kNonJoiner ? is_needed_joiner(code_point, around)
                                                           : is_needed_selector(code_point, around);
}

// Calls `take` with each character's bytes and whether they are hidden; until it returns false.
template <class Take>
void for_each_character(std::string_view text, Take take) {
  Surroundings around;
  while (!text.empty()) {
    CodePoint code_point = 0;
    const auto size = std::max<std::size_t>(read_code_point(text, code_point), 1);
    const auto bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (code_point < 0x80) {
      around = {code_point, kNone, kNone};
      if (!take(bytes, code_point, false)) return;
      continue;
    }
    around.after = kNone;
    if (!text.empty()) read_code_point(text, around.after);
    if (!take(bytes, code_point, is_hidden_character(code_point) && !is_needed(code_point, around))) return;
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
