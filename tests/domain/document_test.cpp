#include "domain/values/document.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <string>

#include "domain/values/contact.h"

namespace pixledger::domain {
namespace {

bool is_valid(const std::string& text) {
  const auto document = Document::parse(text);
  return document && has_valid_check_digits(*document);
}

rc::Gen<std::string> digits(std::size_t count) {
  return rc::gen::container<std::string>(count, rc::gen::inRange('0', static_cast<char>('9' + 1)));
}

}  // namespace

TEST_CASE("a document is a CPF of 11 digits or a CNPJ of 14, whose first 12 may be capital letters") {
  CHECK(Document::parse("52998224725")->kind() == DocumentKind::kCpf);
  CHECK(Document::parse("11222333000181")->kind() == DocumentKind::kCnpj);
  CHECK(Document::parse("12ABC34501DE35")->kind() == DocumentKind::kCnpj);
  CHECK(Document::parse("ABCDEFGHIJKL00")->text() == "ABCDEFGHIJKL00");
  CHECK(to_string(DocumentKind::kCpf) == "CPF");
  CHECK(to_string(DocumentKind::kCnpj) == "CNPJ");
  const auto* refused =
      GENERATE("", "5299822472", "529982247255", "1122233300018", "112223330001811", "529.982.247-25",
               "5299822472x", " 2998224725", "+2998224725", "12abc34501de35", "12ABC34501DEA5",
               "12ABC34501DE3A", "12.ABC.345/01DE-35", "12ABC34501D-35", "5299822472X", "11.222.333/0001-81");
  CAPTURE(refused);
  CHECK_FALSE(Document::parse(refused));
}

TEST_CASE("the rule of documents and phones names common mistakes") {
  CHECK(Document::kRule ==
        "must be digits only, without punctuation: 11 of a CPF or 14 of a CNPJ, whose first 12 may also be "
        "capital letters");
  CHECK(Phone::kRule == "must be 10 to 15 digits, without +, blanks or punctuation");
}

TEST_CASE("a document is accepted whatever its check digits, and reads back as itself") {
  REQUIRE(rc::check([] {
    const std::string text = *digits(*rc::gen::element<std::size_t>(11, 14));
    const auto document = Document::parse(text);
    return document && document->text() == text && Document::parse(document->text()) == document;
  }));
}

TEST_CASE("check digits of CPF") {
  for (const auto* valid : {"52998224725", "11144477735", "12345678909", "00000000191", "93541134780"}) {
    CAPTURE(valid);
    CHECK(is_valid(valid));
  }
  CHECK_FALSE(is_valid("12345678901"));
  CHECK_FALSE(is_valid("52998224735"));
  CHECK_FALSE(is_valid("52998224726"));
}

TEST_CASE("check digits of CNPJ") {
  for (const auto* valid : {"11222333000181", "12345678000195", "00000000000191", "12ABC34501DE35"}) {
    CAPTURE(valid);
    CHECK(is_valid(valid));
  }
  CHECK_FALSE(is_valid("11222333000182"));
  CHECK_FALSE(is_valid("11222333000191"));
  CHECK_FALSE(is_valid("12ABC34501DE34"));
  CHECK_FALSE(is_valid("12ABD34501DE35"));
}

TEST_CASE("a repeated digit is never a valid document") {
  for (char digit = '0'; digit <= '9'; ++digit) {
    CHECK_FALSE(is_valid(std::string(11, digit)));
    CHECK_FALSE(is_valid(std::string(14, digit)));
  }
}

TEST_CASE("the arithmetic of the CNPJ covers letters") {
  CHECK(cnpj_check_digit("12ABC34501DE") == '3');
  CHECK(cnpj_check_digit("12ABC34501DE3") == '5');
  CHECK(cnpj_check_digit("112223330001") == '8');
  CHECK(cnpj_check_digit("1122233300018") == '1');
}

TEST_CASE("exactly one pair of check digits fits a beginning of a document") {
  REQUIRE(rc::check([] {
    const std::string beginning = *digits(*rc::gen::element<std::size_t>(9, 12));
    RC_PRE(beginning.find_first_not_of(beginning[0]) != std::string::npos);
    int fitting = 0;
    for (int pair = 0; pair < 100; ++pair) {
      const std::string text =
          beginning + static_cast<char>('0' + pair / 10) + static_cast<char>('0' + pair % 10);
      if (is_valid(text)) ++fitting;
    }
    return fitting == 1;
  }));
}

}  // namespace pixledger::domain
