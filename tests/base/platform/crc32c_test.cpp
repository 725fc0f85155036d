#include "base/platform/crc32c.h"

#include <catch2/catch.hpp>
#include <string>

using pixledger::crc32c;

TEST_CASE("CRC-32C has the values of RFC 3720, appendix B.4") {
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte) ascending.push_back(byte);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43);
  CHECK(crc32c(ascending) == 0x46DD794E);
  CHECK(crc32c(std::string(ascending.rbegin(), ascending.rend())) == 0x113FDB5C);
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c("") == 0);
}

TEST_CASE("CRC-32C can be continued at any byte") {
  const std::string text = "a record of a journal, and its header before it";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    CHECK(crc32c(text.substr(cut), crc32c(text.substr(0, cut))) == crc32c(text));
}
