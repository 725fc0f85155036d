#include "base/text/base64.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace pixledger;

TEST_CASE("the test vectors of RFC 4648 are written and read") {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"},
                                                                    {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(bytes_from_base64(text) == bytes);
  }
}

TEST_CASE("a text that no bytes encode to is refused") {
  for (const std::string text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "====", "Z===", "Zm 9",
                                 "Zm9v\n", "Zm-v", "=m9v", "Zm=v"}) {
    INFO(text);
    CHECK_FALSE(bytes_from_base64(text));
  }
}

TEST_CASE("any bytes survive a round trip, and any accepted text encodes to itself") {
  REQUIRE(rc::check([](const std::string& bytes) { return bytes_from_base64(to_base64(bytes)) == bytes; }));
  REQUIRE(rc::check([](const std::string& text) {
    const auto bytes = bytes_from_base64(text);
    return !bytes || to_base64(*bytes) == text;
  }));
}
