#include <catch2/catch.hpp>
#include <string>

#include "base/text/ascii.h"

using namespace pixledger;

TEST_CASE("a word tells whether one of its bytes is the wanted one, or below a limit") {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned at = 0; at < 8; ++at) {
      for (const unsigned others : {0x20U, 0x41U, 0x7fU, 0x80U, 0xffU}) {
        const std::uint64_t shift = 8 * at;
        const std::uint64_t word =
            (eight_of(static_cast<unsigned char>(others)) & ~(std::uint64_t{0xff} << shift)) |
            (std::uint64_t{byte} << shift);
        CAPTURE(byte, at, others);
        REQUIRE(has_byte(word, '"') == (byte == '"'));
        REQUIRE(has_byte(word, '\x7f') == (byte == 0x7f || others == 0x7f));
        REQUIRE(has_byte_below(word, 0x20) == (byte < 0x20));
        REQUIRE(has_byte_below(word, 0x80) == (byte < 0x80 || others < 0x80));
      }
    }
  }
}

TEST_CASE("a text is scanned whole, at every length") {
  const auto finds_quote = [](std::string_view text) {
    return any_word(text, ' ', [](std::uint64_t word) { return has_byte(word, '"'); });
  };
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string harmless(size, 'x');
    CHECK_FALSE(finds_quote(harmless));
    CHECK_FALSE(finds_quote(std::string_view(harmless + "\"").substr(0, size)));
    for (std::size_t at = 0; at < size; ++at) {
      std::string text = harmless;
      text[at] = '"';
      CAPTURE(size, at);
      CHECK(finds_quote(text));
    }
  }
}
