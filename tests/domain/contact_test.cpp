// Contact values of a customer or a shop: e-mail, phone, country, host.
#include "domain/values/contact.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <string>

#include "base/values/internet_address.h"

namespace pixledger::domain {

TEST_CASE("e-mail addresses that people have are accepted and kept as they are") {
  const std::string accepted = GENERATE(as<std::string>(), "ana@example.com", "Ana.Silva+pix@Example.com.br",
                                        "o'hara_1@sub.example.co", "a@b.c", "user%x@my-host.example",
                                        std::string(64, 'a') + "@example.com");
  CAPTURE(accepted);
  REQUIRE(EmailAddress::parse(accepted));
  CHECK(EmailAddress::parse(accepted)->text() == accepted);
}

TEST_CASE("an invalid e-mail address, or one that could break a mail header, is refused") {
  const std::string refused = GENERATE(
      as<std::string>(), "", "ana", "@example.com", "ana@", "ana@example", "ana@@example.com",
      "a@b@example.com", ".ana@example.com", "ana.@example.com", "a..b@example.com", "ana @example.com",
      " ana@example.com", "ana@example.com ", "ana@example..com", "ana@.example.com", "ana@example.com.",
      "ana@-example.com", "ana@exa_mple.com", "ana@example.com\r\nBcc: x@example.com", "ana\n@example.com",
      "\"a b\"@example.com", "ana,b@example.com", "<ana@example.com>", "jo\xc3\xa3o@example.com",
      std::string("ana\0b@example.com", 17), std::string(65, 'a') + "@example.com");
  CAPTURE(refused);
  CHECK_FALSE(EmailAddress::parse(refused));
}

TEST_CASE("an e-mail address has at most 254 characters") {
  const std::string label(60, 'x');
  const std::string host = label + "." + label + "." + label + "." + label + ".br";  // 246
  REQUIRE(host.size() == 246);
  CHECK(EmailAddress::parse("abcdefg@" + host));
  CHECK_FALSE(EmailAddress::parse("abcdefgh@" + host));
}

TEST_CASE("a phone is 10 to 15 digits") {
  CHECK(Phone::parse("1133334444")->text() == "1133334444");
  CHECK(Phone::parse("551198765432100"));
  for (const auto* refused :
       {"", "113333444", "5511987654321000", "+5511987654321", "11 98765-4321", "1198765432a"}) {
    CAPTURE(refused);
    CHECK_FALSE(Phone::parse(refused));
  }
}

TEST_CASE("a typed phone is its digits, without Brazil's country code before an area code") {
  for (const auto* typed : {"11987654321", "(11) 98765-4321", "+55 11 98765.4321", "5511987654321"}) {
    CAPTURE(typed);
    REQUIRE(TypedPhone::parse(typed));
    CHECK(TypedPhone::parse(typed)->digits == "11987654321");
    CHECK(TypedPhone::parse(typed)->is_in(*Phone::parse("5511987654321")));
    CHECK(TypedPhone::parse(typed)->is_in(*Phone::parse("11987654321")));
    CHECK_FALSE(TypedPhone::parse(typed)->is_in(*Phone::parse("11987654322")));
  }
  CHECK(TypedPhone::parse("8765-4321")->digits == "87654321");
  CHECK(TypedPhone::parse("(55) 99999-8888")->digits == "55999998888");  // an area code
  for (const auto* refused : {"", "765-4321", "1198765432a", "order 98765432", "1234567890123456"}) {
    CAPTURE(refused);
    CHECK_FALSE(TypedPhone::parse(refused));
  }
}

TEST_CASE("a country is an assigned code of ISO 3166-1 in either case") {
  CHECK(CountryCode::parse("BR")->text() == "BR");
  CHECK(CountryCode::parse("br")->text() == "BR");
  CHECK(CountryCode::parse("Us")->text() == "US");
  CHECK(CountryCode::parse("AD"));
  CHECK(CountryCode::parse("ZW"));
  for (const auto* refused : {"", "B", "BRA", "XX", "ZZ", "UK", "EU", "B1", "76", "B\xc3", "  "}) {
    CAPTURE(refused);
    CHECK_FALSE(CountryCode::parse(refused));
  }
}

TEST_CASE("ISO 3166-1 assigns 249 codes") {
  int assigned = 0;
  for (char first = 'A'; first <= 'Z'; ++first) {
    for (char second = 'A'; second <= 'Z'; ++second)
      assigned += CountryCode::parse(std::string{first, second}) ? 1 : 0;
  }
  CHECK(assigned == 249);
}

TEST_CASE("an origin host is a host name in lower case") {
  CHECK(OriginHost::parse("Shop.Example.COM")->text() == "shop.example.com");
  CHECK(OriginHost::parse("localhost"));
  CHECK(OriginHost::parse("1a.2-b.c"));
  CHECK(OriginHost::parse(std::string(63, 'a') + ".br"));
}

TEST_CASE("a text that is not exactly a host name is refused") {
  const std::string refused =
      GENERATE(as<std::string>(), "", ".", "shop.example.com.", ".example.com", "shop..com",
               "https://shop.com", "shop.com/", "shop.com:443", "shop com", "-shop.com", "shop-.com",
               "sh_op.com", "loja-\xc3\xa3.br", "shop.com\n", std::string(64, 'a') + ".br");
  CAPTURE(refused);
  CHECK_FALSE(OriginHost::parse(refused));
}

TEST_CASE("a host name with an underscore is refused with that reason") {
  using pixledger::host_name_rule;
  CHECK(host_name_rule("minha_loja.example.com", OriginHost::kRule) == kNoUnderscoreRule);
  CHECK(kNoUnderscoreRule.find("underscore (_)") != std::string::npos);
  for (const char* other : {"minha_loja.example.com/", "loja-", "a..b", ""})
    CHECK(host_name_rule(other, OriginHost::kRule) == OriginHost::kRule);
}

TEST_CASE("a host name has at most 253 characters") {
  std::string host;
  for (int i = 0; i < 126; ++i) host += "a.";
  CHECK(OriginHost::parse(host + "b"));
  CHECK_FALSE(OriginHost::parse(host + "bc"));
}

TEST_CASE("accepted contact values read back as themselves") {
  REQUIRE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aZ09.-@_")));
    const auto host = OriginHost::parse(text);
    const auto email = EmailAddress::parse(text);
    return (!host || OriginHost::parse(host->text()) == host) &&
           (!email || EmailAddress::parse(email->text()) == email);
  }));
}

}  // namespace pixledger::domain
