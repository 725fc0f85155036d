#pragma once

#include <cstdint>
#include <string_view>

namespace pixledger {

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of the bytes, or of `before`'s bytes and these. Detects torn
// and decayed data, no tampering.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace pixledger
