#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/document.h"

namespace pixledger::domain {

TEST_CASE("a document is accepted with any punctuation, case, dash and blank that people use") {
  const std::vector<std::string> signs{
      ".",      "-",      "/",      " ",      ",",      "_",      "·",      "\t",     "\u00a0",
      "\u1680", "\u2000", "\u2003", "\u2009", "\u200a", "\u202f", "\u205f", "\u3000", "\u200b",
      "\u200e", "\u2060", "\ufeff", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015",
      "\u2043", "\u2212", "\u2e3a", "\ufe58", "\ufe63", "\uff0d", "\uff0e", "\uff0f", "\u2044",
      "\u2215", "\u00ad", "\u058a", "\u301c", "\u30fb", "\uff65", "(",      ")"};
  for (const auto& sign : signs) {
    INFO(sign);
    const auto cpf = TypedDocument::parse(sign + "529" + sign + "982" + sign + "247" + sign + "25" + sign);
    REQUIRE(cpf);
    CHECK(cpf->document.text() == "52998224725");
  }
  CHECK(TypedDocument::parse("５２９．９８２．２４７－２５")->document.text() == "52998224725");
  CHECK(TypedDocument::parse("12.abc.345/01de-35")->document.text() == "12ABC34501DE35");
  CHECK(TypedDocument::parse("１２ＡＢＣ３４５０１ｄｅ３５")->document.text() == "12ABC34501DE35");
}

TEST_CASE("the word in front of a document is no part of it") {
  for (const std::string text : {"CPF 529.982.247-25", "cpf: 52998224725", "CPF52998224725", "CPF nº"})
    CHECK(TypedDocument::parse(text).has_value() == (text != "CPF nº"));
  CHECK(TypedDocument::parse("CPF: 529.982.247-25")->document.text() == "52998224725");
  CHECK(TypedDocument::parse("CNPJ 12.ABC.345/01DE-35")->document.text() == "12ABC34501DE35");
  CHECK_FALSE(TypedDocument::parse("CNPJ 529.982.247-25"));
}

TEST_CASE("an address is found in what mail programs copy") {
  for (const auto* const copied :
       {"maria@example.com", "<maria@example.com>", "Maria Silva <maria@example.com>\u00a0",
        "mailto:maria@example.com", "MAILTO:maria@example.com", "<mailto:maria@example.com>"})
    CHECK(bare_address(copied) == "maria@example.com");
  for (const auto* const other : {"Maria <Silva>", "<>", "mailto:", "a <b@c> d", "<"})
    CHECK(bare_address(other) == other);
  CHECK(bare_address(" \u2003").empty());
}

TEST_CASE("ids are accepted with blanks and dashes inside, and a charge's as its txid") {
  const std::string payment = "E18236120202603011200s1a2b3c4d5e";
  const std::vector<std::string> payments{payment, " E18236120 20260301 1200 s1a2b3c4d5e",
                                          "E18236120-202603011200-s1a2b3c4d5e",
                                          "E18236120202603011200\u00a0s1a2b\u20113c4d5e"};
  for (const auto& typed : payments) CHECK(TypedEndToEndId::parse(typed).value().id.text() == payment);
  for (const auto& typed : {payment + "0", payment.substr(1), "@" + payment, std::string()})
    CHECK_FALSE(TypedEndToEndId::parse(typed));

  const std::string charge = "cabcdefghijklmnopqrstuvwx";
  const std::vector<std::string> charges{charge,
                                         "p" + charge,
                                         "P" + charge,
                                         "pcabcdefghijkl mnopqrstuvwx",
                                         " p" + charge + "\u00a0",
                                         "CABCDEFGHIJKLMNOPQRSTUVWX"};
  for (const auto& typed : charges) CHECK(TypedChargeId::parse(typed).value().id.text() == charge);
  for (const auto& typed : {"pp" + charge, "q" + charge, std::string("p"), std::string()})
    CHECK_FALSE(TypedChargeId::parse(typed));
}

TEST_CASE("a text that is no document as people write one does not parse") {
  for (const std::string text :
       {"", " ", "529982247", "529.982.247-25 9", "Maria 529.982.247-25", "52998224725@x", "5299822472é",
        "529982247\xff"
        "25",
        "---"})
    CHECK_FALSE(TypedDocument::parse(text));
}

TEST_CASE("blanks of all kinds are taken off the ends of what was pasted, and nothing else") {
  CHECK(without_outer_blanks("\u00a0\ufeff maria@example.com\u200b\u3000\t\r\n") == "maria@example.com");
  CHECK(without_outer_blanks("Maria\u00a0 Silva") == "Maria\u00a0 Silva");
  CHECK(without_outer_blanks(" \u2003").empty());
  CHECK(without_outer_blanks("").empty());
  CHECK(without_leading_blanks("\u3000 =1 ") == "=1 ");
}

}  // namespace pixledger::domain
