#include <catch2/catch.hpp>

#include "tests/workers/banks/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("a client whose worker is to stop asks for nothing more") {
  FakeBank bank;
  ClientOfFakeBank fixture(bank);
  fixture.stopping = true;
  const auto answer =
      fixture.client.get_cob(parsed<domain::Txid>("pcabcdefgh12345678901234567"), fixture.turn());
  CHECK(std::holds_alternative<workers::Unavailable>(answer));
  CHECK(bank.tokens() == 0);
  CHECK(bank.asked().empty());
}
