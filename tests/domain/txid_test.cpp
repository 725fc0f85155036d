#include <catch2/catch.hpp>

#include "domain/pix/payment_ids.h"

namespace pixledger::domain {

TEST_CASE("a txid is 1 to 35 letters and digits, and that of a bank's charge has 26 at least") {
  const auto size = GENERATE(1, 25, 26, 35);
  const auto txid = Txid::parse(std::string(static_cast<std::size_t>(size), 'a'));
  REQUIRE(txid);
  CHECK(txid->names_cob() == (size >= 26));
}

TEST_CASE("a charge is known by the txid of its code, the bank's or a static one, in whichever case") {
  const auto charge = *ChargeId::parse("cmwsxcd9r0001hppvt952lp09");
  CHECK(cob_txid(charge).text() == "pcmwsxcd9r0001hppvt952lp09");
  CHECK(cob_txid(charge).names_cob());
  for (const auto* text :
       {"pcmwsxcd9r0001hppvt952lp09", "PCMWSXCD9R0001HPPVT952LP09", "cmwsxcd9r0001hppvt952lp09"})
    CHECK(charge_named_by(*Txid::parse(text)) == charge);
  for (const auto* text :
       {"xcmwsxcd9r0001hppvt952lp09", "cmwsxcd9r0001hppvt952lp0", "p", "ppcmwsxcd9r0001hppvt952lp09"})
    CHECK_FALSE(charge_named_by(*Txid::parse(text)));
}

TEST_CASE("texts that are no txid are refused") {
  CHECK_FALSE(Txid::parse(""));
  CHECK_FALSE(Txid::parse(std::string(36, 'a')));
  for (const auto* text : {"***", "a b", "a-b", "\xc3\xa1", " a"}) CHECK_FALSE(Txid::parse(text));
}

}  // namespace pixledger::domain
