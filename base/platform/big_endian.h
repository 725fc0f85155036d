#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pixledger {

// Bytes that sort as their numbers do.
std::string big_endian(std::uint64_t value);
std::string big_endian32(std::uint32_t value);
std::uint64_t from_big_endian(std::string_view bytes);

inline constexpr std::size_t kBigEndianBytes = 8;
inline constexpr std::size_t kBigEndian32Bytes = 4;

}  // namespace pixledger
