#include <catch2/catch.hpp>

#include "base/text/base64.h"

using namespace pixledger;

TEST_CASE("base64url has no padding and its own two characters") {
  CHECK(to_base64url("").empty());
  CHECK(to_base64url("f") == "Zg");
  CHECK(to_base64url("fo") == "Zm8");
  CHECK(to_base64url("foo") == "Zm9v");
  CHECK(to_base64url("\xfb\xff\xfe") == "-__-");
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "\xfb\xff\xfe"})
    CHECK(bytes_from_base64url(to_base64url(bytes)) == bytes);
}

TEST_CASE("base64url reads only what it writes") {
  for (const auto* text : {"Zg==", "Zm8=", "+__-", "-//-", "Zh", "Z", "Zm9vZ", "Zm9v ", "Zm\n9"})
    CHECK_FALSE(bytes_from_base64url(text));
}

// RFC 4648 §10, without the padding.
TEST_CASE("base32 is that of RFC 4648") {
  CHECK(to_base32("").empty());
  CHECK(to_base32("f") == "MY");
  CHECK(to_base32("fo") == "MZXQ");
  CHECK(to_base32("foo") == "MZXW6");
  CHECK(to_base32("foob") == "MZXW6YQ");
  CHECK(to_base32("fooba") == "MZXW6YTB");
  CHECK(to_base32("foobar") == "MZXW6YTBOI");
}
