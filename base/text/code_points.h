#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utf8proc.h>

namespace pixledger {

// More than any code point decomposes to (18, U+FDFA).
inline constexpr std::size_t kDecomposedMax = 32;

// Reads one code point from the front of `text` into `code_point`, and returns how many bytes it takes; 0
// where it is not UTF-8, of which `code_point` is negative then.
inline std::size_t read_code_point(std::string_view text, std::int32_t& code_point) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

}  // namespace pixledger
