#include "eventstore/keys/base62.h"

#include <array>
#include <cstdint>
#include <span>

namespace pixledger::eventstore {

std::string random_base62(Entropy& entropy) {
  std::array<std::uint8_t, 32> number{};
  entropy.fill(std::as_writable_bytes(std::span(number)));
  std::string digits(kRandomBase62Characters, '0');
  for (std::size_t i = digits.size(); i-- > 0;) {
    std::uint32_t remainder = 0;
    for (std::uint8_t& byte : number) {
      const std::uint32_t dividend = remainder << 8 | byte;
      byte = static_cast<std::uint8_t>(dividend / kBase62.size());
      remainder = dividend % static_cast<std::uint32_t>(kBase62.size());
    }
    digits[i] = kBase62[remainder];
  }
  return digits;
}

}  // namespace pixledger::eventstore
