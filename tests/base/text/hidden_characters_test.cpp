#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "domain/values/names.h"

namespace pixledger::domain {

TEST_CASE("bidirectional controls and invisible characters are hidden wherever they stand") {
  const std::vector<std::string> hidden{
      "\u00ad",     "\u034f",     "\u061c",     "\u115f",     "\u1160",     "\u17b4",     "\u17b5",
      "\u180b",     "\u180e",     "\u180f",     "\u200b",     "\u200c",     "\u200d",     "\u200e",
      "\u200f",     "\u2028",     "\u2029",     "\u202a",     "\u202b",     "\u202c",     "\u202d",
      "\u202e",     "\u2060",     "\u2061",     "\u2062",     "\u2063",     "\u2064",     "\u2065",
      "\u2066",     "\u2067",     "\u2068",     "\u2069",     "\u206a",     "\u206f",     "\u2800",
      "\u3164",     "\ufe00",     "\ufe0f",     "\ufeff",     "\uffa0",     "\ufff0",     "\ufff9",
      "\ufffb",     "\U0001bca0", "\U0001d173", "\U000e0001", "\U000e0020", "\U000e0041", "\U000e007f",
      "\U000e0100", "\U000e01ef", "\U00013430", "\U0001343f", "\U00016fe4", "\U0001d159", "\ue000",
      "\uf8ff",     "\U000f0000", "\U0010fffd"};
  for (const auto& character : hidden) {
    for (const auto& text : {character, "Maria" + character, character + "Maria", "Ma" + character + "ria"}) {
      INFO(with_hidden_escaped(text));
      CHECK(holds_hidden_characters(text));
      CHECK_FALSE(PersonName::parse(text));
      CHECK_FALSE(ProductName::parse(text));
      CHECK_FALSE(Label::parse(text));
      CHECK_FALSE(ExternalId::parse(text));
      // Recorded texts are still read.
      CHECK(PersonName::parse_stored(text));
    }
  }
}

TEST_CASE("names and products of all writing systems, and emoji, are taken as they are") {
  const std::vector<std::string> texts{"João d'Ávila",
                                       "Zoë Straße",
                                       "名前 太郎",
                                       "葛\U000e0100城",
                                       "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
                                       "\u0915\u094d\u200d\u0937",
                                       "\u0915\u094d\u200c\u0937",
                                       "\u09b0\u200d\u09cd\u09af",
                                       "\u1820\u180b\u1821",
                                       "Camiseta \u2764\ufe0f",
                                       "\u2764\ufe0f\u200d\U0001f525",
                                       "\U0001f468\u200d\U0001f469\u200d\U0001f467",
                                       "\U0001f469\U0001f3fd\u200d\U0001f680",
                                       "1\ufe0f\u20e3 lugar",
                                       "\u00a9\ufe0f Loja",
                                       "\U0001f1e7\U0001f1f7",
                                       "Caf\u00e9\u00a0Preto",
                                       "Joa\u0303o",
                                       "Vie\u0323\u0302t",
                                       "\u05e9\u05c1\u05b8\u0591\u05bcl",
                                       "\u0600\u0661",
                                       "\u3000\u30ab"};
  for (const auto& text : texts) {
    INFO(text);
    CHECK_FALSE(holds_hidden_characters(text));
    CHECK(ProductName::parse(text));
    CHECK(with_hidden_escaped(text) == text);
  }
}

TEST_CASE("joiners and selectors are hidden where nothing needs them") {
  for (const std::string text : {"a\u200db", "\U0001f525\u200d", "\u200d\U0001f525", "a\u200d\U0001f525",
                                 "a\ufe0f", "1\ufe0f", "\u2764\ufe0f\ufe0f", "\u0915\u200d", "\u0645\u200c",
                                 "葛\U000e0100\U000e0101", "\U0001f525\u200c\U0001f525"}) {
    INFO(with_hidden_escaped(text));
    CHECK(holds_hidden_characters(text));
  }
}

TEST_CASE("marks are hidden where they belong to no letter, or are too many on one") {
  const auto marked = [](int marks) {
    std::string text = "a";
    for (int i = 0; i < marks; ++i) text += "\u0301";
    return text + "b";
  };
  CHECK_FALSE(holds_hidden_characters(marked(8)));
  CHECK(holds_hidden_characters(marked(9)));
  CHECK(holds_hidden_characters(marked(200)));
  CHECK_FALSE(PersonName::parse("\u0301"));
  CHECK_FALSE(PersonName::parse("\u0301Maria"));
  CHECK(PersonName::parse_stored("\u0301Maria"));
  CHECK(with_hidden_escaped("\u0301Maria \ue000") == "\\u0301Maria \\ue000");
}

TEST_CASE("hidden characters in recorded texts are shown as escapes") {
  CHECK(with_hidden_escaped("Maria\u202e 99") == "Maria\\u202e 99");
  CHECK(with_hidden_escaped("\ufeffA\U000e0041") == "\\ufeffA\\U000e0041");
  CHECK(with_hidden_escaped("no\xff utf-8") == "no\xff utf-8");
  CHECK(with_hidden_escaped("") == "");
}

TEST_CASE("texts are found whatever hidden characters they hold") {
  CHECK(fold("Ma\u200bri\u00ada") == "maria");
  CHECK(fold("a\u2028b") == "a b");
}

}  // namespace pixledger::domain
