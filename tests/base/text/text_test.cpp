#include "base/text/text.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <string>
#include <type_traits>

#include "base/text/ascii.h"
#include "domain/values/names.h"

namespace pixledger::domain {
namespace {

// Pieces of search terms and names, in valid and invalid UTF-8.
rc::Gen<std::string> any_text() {
  const auto piece =
      rc::gen::element<std::string>("a", "Z", " ", "\xc3\xa7", "\xc3\x83", "e\xcc\x81", "\xc3\x9f",
                                    "\xef\xac\x81", "\xc4\xb0", "\xe6\x9d\xb1", "ø", "½", "´", "Ǿ", "€",
                                    "\xed\x95\x9c", "\xf0\x9f\x98\x80", "\xff", "\xc3", "\xef\xb7\xba");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const auto& each : pieces) text += each;
                        return text;
                      });
}

}  // namespace

TEST_CASE("clean text is UTF-8 without control characters") {
  CHECK(is_clean_text(""));
  CHECK(is_clean_text("Pão de queijo ~"));
  CHECK(is_clean_text("\xc2\xa0"));          // U+00A0, the first after C1
  CHECK(is_clean_text("\xf0\x9f\x98\x80"));  // U+1F600
}

TEST_CASE("names of members are the same in any case, with or without marks between their words") {
  for (const std::string written : {"txId", "TXID", "tx_id", "tx-id", "_tx__Id-"}) {
    CAPTURE(written);
    CHECK(is_same_name(written, "txid"));
    CHECK(is_same_name("txid", written));
  }
  for (const std::string other : {"", "tx", "txids", "tx id", "t.xid"}) {
    CAPTURE(other);
    CHECK_FALSE(is_same_name(other, "txid"));
    CHECK_FALSE(is_same_name("txid", other));
  }
  CHECK_FALSE(is_same_name(std::string("txid\0s", 6), "txid"));
}

TEST_CASE("the first characters of a text are whole ones") {
  CHECK(first_characters("p\xc3\xa3o", 2) == "p\xc3\xa3");
  CHECK(first_characters("p\xc3\xa3o", 3) == "p\xc3\xa3o");
  CHECK(first_characters("p\xc3\xa3o", 9) == "p\xc3\xa3o");
  CHECK(first_characters("\xf0\x9f\x98\x80", 0).empty());
  CHECK(first_characters("", 3).empty());
}

TEST_CASE("control characters and broken UTF-8 are not clean") {
  const std::string text = GENERATE(as<std::string>(), "a\nb", "\t", "\r", std::string(1, '\0'), "\x1f",
                                    "\x7f", "\xc2\x80", "\xc2\x85", "\xc2\x9f",  // C1
                                    "\x80", "\xc3", "\xc3(", "\xe2\x82", "\xf0\x9f\x98", "\xc0\x80",
                                    "\xc1\xbf", "\xe0\x80\x80", "\xf0\x80\x80\x80",  // overlong
                                    "\xed\xa0\x80", "\xed\xbf\xbf",                  // surrogates
                                    "\xf4\x90\x80\x80", "\xff");
  CHECK_FALSE(is_clean_text(text));
  CHECK_FALSE(is_clean_text("a" + text + "b"));
}

TEST_CASE("characters are code points") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("Pão") == 3);
  CHECK(count_characters("\xf0\x9f\x98\x80\xe6\x9d\xb1") == 2);
}

TEST_CASE("bounded texts are measured in characters and kept as they are") {
  std::string name;
  for (int i = 0; i < 255; ++i) name += "ã";
  CHECK(PersonName::parse(name)->text() == name);
  CHECK_FALSE(PersonName::parse(name + "a"));
  CHECK_FALSE(PersonName::parse(""));
  CHECK_FALSE(PersonName::parse("a\nb"));
  CHECK(ExternalId::parse(std::string(128, 'x')));
  CHECK_FALSE(ExternalId::parse(std::string(129, 'x')));
  CHECK(
      PersonName::kRule ==
      "must be 1 to 255 characters without control or invisible ones, at least one of them visible, and hold "
      "neither "
      ":// nor www.");
  CHECK(ExternalId::kRule ==
        "must be 1 to 128 characters without control or invisible ones, at least one of them visible");
  STATIC_REQUIRE_FALSE(std::is_same_v<PersonName, ProductName>);
}

TEST_CASE("an invisible text, or one with a noncharacter, is refused, but read if it was recorded") {
  const std::string text = GENERATE(as<std::string>(), " ", "   ", "\xc2\xa0", "\xe2\x80\x8b",
                                    "\xe2\x80\xae \xe2\x80\xac", "\xe2\x80\xa8", "\xef\xbb\xbf",
                                    "\xef\xbf\xbf", "a\xef\xbf\xbe", "a\xef\xb7\x90", "a\xf4\x8f\xbf\xbf");
  CHECK_FALSE(PersonName::parse(text));
  CHECK(PersonName::parse_stored(text)->text() == text);
}

TEST_CASE("a name that holds a web address is refused, but read if it was recorded") {
  const std::string text = GENERATE(as<std::string>(), "Ana https://evil.example", "HTTP://x", "a://b",
                                    "www.evil.example", "veja WwW.evil", "ｗｗｗ．evil.example");
  CAPTURE(text);
  CHECK_FALSE(PersonName::parse(text));
  CHECK_FALSE(ProductName::parse(text));
  CHECK_FALSE(StoreName::parse(text));
  CHECK(PersonName::parse_stored(text)->text() == text);
  CHECK(ProductName::parse_stored(text)->text() == text);
  CHECK(Label::parse(text)->text() == text);
  CHECK(ExternalId::parse(text)->text() == text);
}

TEST_CASE("a name that only resembles a web address is accepted") {
  const std::string text =
      GENERATE(as<std::string>(), "Bolo: //2 andares", "wwf.org", "evil.example", "ww.w", "Awww", "a:/b");
  CHECK(PersonName::parse(text)->text() == text);
  CHECK(ProductName::parse(text)->text() == text);
  CHECK(StoreName::parse(text)->text() == text);
}

TEST_CASE("a store's name is a label in all else") {
  CHECK_FALSE(StoreName::parse(""));
  CHECK_FALSE(StoreName::parse(" "));
  CHECK_FALSE(StoreName::parse(std::string(256, 'x')));
  CHECK(StoreName::kRule == PersonName::kRule);
}

TEST_CASE("blanks beside visible characters are kept, and what joins an emoji") {
  const std::string text = GENERATE(as<std::string>(), " a", "Ana\xc2\xa0Lima", "\xd7\x90", ".",
                                    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb");
  CHECK(PersonName::parse(text)->text() == text);
}

TEST_CASE("search ignores case and accents") {
  CHECK(fold("JOÃO da Conceição") == "joao da conceicao");
  CHECK(fold("joa\xcc\x83o") == "joao");
  CHECK(fold("Straße") == "strasse");
  CHECK(fold("İstanbul") == "istanbul");
  CHECK(fold("ﬁm") == "fim");
  CHECK(fold("ＡＢＣ") == "abc");
  CHECK(fold("東京 ABC@Example.COM") == "東京 abc@example.com");
  CHECK(fold("Sørensen, Łódź") == "sorensen, lodz");
  CHECK(fold("Æsir þór Đorđe ISPARTAKULE ıs") == "aesir thor dorde ispartakule is");
  CHECK(fold("Nº 1½ – 5 €") == "no 11/2 - 5 eur");
  CHECK(fold("a\xff\xc3") == "a");
  CHECK(fold("").empty());
}

TEST_CASE("folding twice changes nothing, and gives clean UTF-8") {
  REQUIRE(rc::check([] {
    const std::string folded = fold(*any_text());
    return fold(folded) == folded && is_clean_text(folded);
  }));
}

TEST_CASE("characters outside ASCII are spelt in ASCII") {
  CHECK(to_printable_ascii("Groß ẞ Ørsted Sørensen Łódź") == "Gross SS Orsted Sorensen Lodz");
  CHECK(to_printable_ascii("Æsir æ Œuvre œ Đorđe Þór þ Ðað ıs") == "AEsir ae OEuvre oe Dorde THor th Dad is");
  CHECK(to_printable_ascii("Pão – Café — 1‑2 − 3") == "Pao - Cafe - 1-2 - 3");
  CHECK(to_printable_ascii("“Sabor” ‘d’Ávila’ «x» D´Ávila") == "\"Sabor\" 'd'Avila' \"x\" D'Avila");
  CHECK(to_printable_ascii("½ kg… 5 € 3× nº 1ª 2°") == "1/2 kg... 5 EUR 3x no 1a 2o");
  CHECK(to_printable_ascii("Loja\u00a0do\u2003João\u202fe\u3000Cia\u2028Ltda") == "Loja do Joao e Cia Ltda");
  CHECK(to_printable_ascii("ＡＢＣ ﬁm ① ™") == "ABC fim 1 TM");
  CHECK(to_printable_ascii("Ǿ Ǽ") == "O AE");
}

TEST_CASE("accents and characters outside ASCII are dropped") {
  CHECK(to_printable_ascii("São João Açaí & Cia.") == "Sao Joao Acai & Cia.");
  CHECK(to_printable_ascii("東京") == "");
  CHECK(to_printable_ascii("a\n\t\x7f"
                           "b\xc2\x85") == "ab");
  CHECK(to_printable_ascii("caf\xc3") == "caf");
  REQUIRE(rc::check([](const std::string& bytes) {
    const std::string ascii = to_printable_ascii(bytes + *any_text());
    return std::all_of(ascii.begin(), ascii.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
  }));
}

TEST_CASE("text is cut where a character ends, and escaped for HTML and URLs") {
  CHECK(first_bytes("café", 9) == "café");
  CHECK(first_bytes("café", 4) == "caf");
  CHECK(first_bytes("東京", 2).empty());
  for (const std::string character : {"a", "é", "東", "😀"})
    CHECK(utf8_size(static_cast<unsigned char>(character[0])) == character.size());
  CHECK(escape_html("<a href=\"?a&b\">'é'</a>") ==
        "&lt;a href=&quot;?a&amp;b&quot;&gt;&#39;é&#39;&lt;/a&gt;");
  CHECK(percent_encode("a-._~ é/%") == "a-._~%20%C3%A9%2F%25");
}

}  // namespace pixledger::domain
