#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pixledger {

inline constexpr std::size_t kBigEndianBytes = 8;
inline constexpr std::size_t kBigEndian32Bytes = 4;

// Bytes that sort in numeric order.
inline std::string big_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (56 - 8 * i));
  return bytes;
}

inline std::string big_endian32(std::uint32_t value) { return big_endian(value).substr(4); }

inline std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace pixledger
