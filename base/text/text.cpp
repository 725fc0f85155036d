#include "base/text/text.h"

#include <algorithm>
#include <iterator>
#include <utf8proc.h>

#include "base/text/ascii.h"
#include "base/text/ascii_spelling.h"
#include "base/text/code_points.h"
#include "base/text/hidden_characters.h"

namespace pixledger {
namespace {

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
