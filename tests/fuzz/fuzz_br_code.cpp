#include <cassert>
#include <cstddef>
#include <cstdint>

#include "domain/pix/br_code.h"

// A text that parses as a code has a correct checksum, so it must not parse with another last character.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pixledger::domain;
  const std::string code(reinterpret_cast<const char*>(data), size);
  if (std::holds_alternative<BrCodeFault>(parse_br_code(code))) return 0;
  auto other = code;
  other.back() = other.back() == '0' ? '1' : '0';
  assert(std::holds_alternative<BrCodeFault>(parse_br_code(other)));
  return 0;
}
