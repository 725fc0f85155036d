#include "base/text/typed_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utf8proc.h>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/code_points.h"
#include "base/text/hidden_characters.h"

namespace pixledger {
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

// Punctuation, dashes, signs, marks and blanks. An @ makes an address of what it stands in.
bool is_between_characters(std::int32_t code_point) {
  if (code_point == '@') return false;
  if (code_point < 0x80) return true;
  const auto category = utf8proc_category(code_point);
  const bool is_mark = category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
  const bool is_punctuation = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
  const bool is_sign = category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
  return is_mark || is_punctuation || is_sign || is_outer_blank(code_point);
}

// What full-width digits and letters stand for.
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
  std::string bare;
  bool is_code = true;
  const auto take = [&](std::int32_t code_point) {
    if (code_point >= 0 && code_point < 0x80 && is_ascii_alnum(static_cast<char>(code_point)))
      bare += to_ascii_upper(static_cast<char>(code_point));
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

}  // namespace pixledger
