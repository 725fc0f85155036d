#include "base/platform/sha256.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pixledger;

namespace {

std::string from_hex(std::string_view hex) { return bytes_from_hex(hex).value(); }

}  // namespace

TEST_CASE("SHA-256 returns the digests that FIPS 180 publishes") {
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(to_hex(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")) ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(to_hex(sha256(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the digest of parts is that of the parts joined, wherever the cuts are") {
  const std::string whole =
      "a message of more than one block, so that a cut may fall on either side of its border";
  REQUIRE(whole.size() > 64);
  for (std::size_t first = 0; first <= whole.size(); ++first) {
    for (std::size_t second = first; second <= whole.size(); ++second) {
      const std::string_view view = whole;
      REQUIRE(sha256({view.substr(0, first), view.substr(first, second - first), view.substr(second)}) ==
              sha256(whole));
    }
  }
  CHECK(sha256({"ab", "c"}) == sha256("abc"));
}

TEST_CASE("HMAC-SHA-256 returns the codes that RFC 4231 publishes") {
  struct Vector {
    std::string key;
    std::string message;
    std::string code;
  };
  const Vector vectors[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {from_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. "
       "The key needs to be hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const Vector& vector : vectors) {
    const HmacSha256 hmac(vector.key);
    CHECK(to_hex(hmac.mac(vector.message)) == vector.code);
    CHECK(to_hex(hmac.mac({vector.message.substr(0, 3), vector.message.substr(3)})) == vector.code);
  }
  // Test case 5 publishes the first 128 bits only.
  const Digest truncated = HmacSha256(std::string(20, '\x0c')).mac("Test With Truncation");
  CHECK(to_hex(bytes_of(truncated).substr(0, 16)) == "a3b6167473100ee06e0c796c2955552b");
}

TEST_CASE("a prepared key serves any number of messages, and its copies too") {
  const HmacSha256 hmac("Jefe");
  const Digest first = hmac.mac("one");
  const HmacSha256 copy = hmac;
  CHECK(hmac.mac("two") != first);
  CHECK(hmac.mac("one") == first);
  CHECK(copy.mac("one") == first);
}

TEST_CASE("hex is encoded and decoded, and only hex is accepted") {
  const Digest digest = sha256("abc");
  CHECK(digest_from_hex(to_hex(digest)) == digest);
  CHECK(digest_from_hex("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD") == digest);
  CHECK(bytes_from_hex("") == "");
  CHECK(bytes_from_hex("00ff") == std::string("\x00\xff", 2));
  CHECK_FALSE(bytes_from_hex("0"));
  CHECK_FALSE(bytes_from_hex("0g"));
  CHECK_FALSE(bytes_from_hex(" 0"));
  CHECK_FALSE(digest_from_hex(""));
  CHECK_FALSE(digest_from_hex(to_hex(digest) + "00"));
  CHECK_FALSE(digest_from_hex(to_hex(digest).substr(1)));
  CHECK(digest_from_bytes(bytes_of(digest)) == digest);
}

TEST_CASE("comparison in constant time agrees with equality") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("secret", "secret"));
  CHECK_FALSE(equal_in_constant_time("secret", "Secret"));
  CHECK_FALSE(equal_in_constant_time("secret", "secre"));
  CHECK_FALSE(equal_in_constant_time("secret", "secret "));
}
