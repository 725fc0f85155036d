#include "domain/pix/pix_key.h"

#include <catch2/catch.hpp>
#include <string>

namespace pixledger::domain {

TEST_CASE("each kind of Pix key is accepted and reads back as itself") {
  const std::string key = GENERATE(
      as<std::string>(), "52998224725", "11222333000181", "12ABC34501DE35", "+5511987654321", "+551133334444",
      "ana@example.com", "123e4567-e12b-12d1-a456-426655440000", std::string(64, 'a') + "@example.comm");
  CAPTURE(key);
  REQUIRE(PixKey::parse(key));
  CHECK(PixKey::parse(key)->text() == key);
}

TEST_CASE("a Pix key is written in lower case, as the directory keeps it") {
  CHECK(PixKey::parse("Ana@Example.COM")->text() == "ana@example.com");
  CHECK(PixKey::parse("123E4567-E12B-12D1-A456-426655440000")->text() ==
        "123e4567-e12b-12d1-a456-426655440000");
  CHECK(PixKey::parse("12abc34501de35")->text() == "12ABC34501DE35");
}

TEST_CASE("a CPF or CNPJ with wrong check digits is no Pix key, but read if it was recorded") {
  const std::string key = GENERATE(as<std::string>(), "11987654321", "00000000000", "52998224726",
                                   "11222333000100", "00000000000000", "12ABC34501DE34");
  CAPTURE(key);
  CHECK_FALSE(PixKey::parse(key));
  CHECK(PixKey::parse_stored(key)->text() == key);
}

TEST_CASE("every other recorded key is read by the same rule as a new one") {
  CHECK(PixKey::parse_stored("ana@example.com") == PixKey::parse("ana@example.com"));
  CHECK(PixKey::parse_stored("+5511987654321") == PixKey::parse("+5511987654321"));
  CHECK_FALSE(PixKey::parse_stored("nonsense"));
}

TEST_CASE("for a phone without its country the error says how to write it") {
  for (const auto* phone : {"11987654321", "00000000000", "1133334444", "5511987654321", "(11) 98765-4321",
                            "+55 11 98765-4321"}) {
    CAPTURE(phone);
    REQUIRE_FALSE(PixKey::parse(phone));
    CHECK(PixKey::rule_for(phone) == PixKey::kPhoneRule);
  }
  CHECK(PixKey::kPhoneRule.find("+55") != std::string_view::npos);
  for (const auto* other : {"", "11222333000100", "529.982.247-25", "nonsense", "119876543", "ana@example"}) {
    CAPTURE(other);
    CHECK(PixKey::rule_for(other) == PixKey::kRule);
  }
}

TEST_CASE("an invalid Pix key is refused") {
  const std::string key =
      GENERATE(as<std::string>(), "", "5299822472", "5511987654321", "+55119876543210", "+55113333444",
               "+1415555267100", "+55 11987654321", "ana@example", "123e4567e12b12d1a456426655440000",
               "123e4567-e12b-12d1-a456-42665544000g", "123e4567-e12b-12d1-a456-4266554400000",
               "529.982.247-25", "jo\xc3\xa3o@example.com", std::string(64, 'a') + "@example.commm");
  CAPTURE(key);
  CHECK_FALSE(PixKey::parse(key));
}

TEST_CASE("the sandbox key is under a domain name that cannot be registered") {
  CHECK(sandbox_pix_key().text() == "sandbox@pixledger.invalid");
}

}  // namespace pixledger::domain
