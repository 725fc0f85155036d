#include "base/platform/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace pixledger {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;
constexpr std::size_t kStep = 8;  // bytes at once

using Table = std::array<std::uint32_t, 256>;

// tables[k][byte]: what a byte contributes that k further bytes follow.
constexpr std::array<Table, kStep> make_tables() {
  std::array<Table, kStep> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < kStep; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}

constexpr auto kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  auto crc = ~before;
  for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kStep);  // little-endian machines only, as LMDB's files
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < kStep; ++i) crc ^= kTables[kStep - 1 - i][word >> 8 * i & 0xff];
  }
  for (const char byte : bytes) crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

}  // namespace pixledger
