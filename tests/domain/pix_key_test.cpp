#include "domain/values/pix_key.h"

#include <catch2/catch.hpp>
#include <string>

namespace pixledger::domain {

TEST_CASE("each kind of Pix key is accepted and reads back as itself") {
  const std::string key = GENERATE(as<std::string>(), "52998224725", "11222333000181", "+5511987654321",
                                   "+551133334444", "ana@example.com", "123e4567-e12b-12d1-a456-426655440000",
                                   std::string(64, 'a') + "@example.comm");
  CAPTURE(key);
  REQUIRE(PixKey::parse(key));
  CHECK(PixKey::parse(key)->text() == key);
}

TEST_CASE("a Pix key is written in lower case, as the directory keeps it") {
  CHECK(PixKey::parse("Ana@Example.COM")->text() == "ana@example.com");
  CHECK(PixKey::parse("123E4567-E12B-12D1-A456-426655440000")->text() ==
        "123e4567-e12b-12d1-a456-426655440000");
}

TEST_CASE("what is no Pix key is refused") {
  const std::string key =
      GENERATE(as<std::string>(), "", "5299822472", "5511987654321", "+55119876543210", "+55113333444",
               "+1415555267100", "+55 11987654321", "ana@example", "123e4567e12b12d1a456426655440000",
               "123e4567-e12b-12d1-a456-42665544000g", "123e4567-e12b-12d1-a456-4266554400000",
               "529.982.247-25", "jo\xc3\xa3o@example.com", std::string(64, 'a') + "@example.commm");
  CAPTURE(key);
  CHECK_FALSE(PixKey::parse(key));
}

TEST_CASE("the sandbox key lies under a name that nobody can own") {
  CHECK(sandbox_pix_key().text() == "sandbox@pixledger.invalid");
}

}  // namespace pixledger::domain
