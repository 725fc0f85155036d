#include "base/text/base64url.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/text/base64.h"

namespace pixledger {

std::string to_base64url(std::string_view bytes) {
  auto text = to_base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  while (!text.empty() && text.back() == '=') text.pop_back();
  return text;
}

std::optional<std::string> bytes_from_base64url(std::string_view text) {
  if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  return bytes_from_base64(padded);
}

std::string to_base32(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string text;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= 5; held -= 5) text += kAlphabet[bits >> (held - 5) & 0x1f];
  }
  if (held > 0) text += kAlphabet[bits << (5 - held) & 0x1f];
  return text;
}

}  // namespace pixledger
