#include "workers/resume_from.h"

#include <catch2/catch.hpp>

#include "tests/support/worker_fixture.h"

using namespace pixledger;
using workers::ResumeFrom;

TEST_CASE("a worker without state begins where it is told") {
  tests::LedgerInMemory ledger;
  ledger.create_charge();
  const auto head = ledger.log.head().position;
  const auto start = [&](const std::string& text) {
    return ResumeFrom::parse(text).value().cursor_in(ledger.log);
  };
  REQUIRE(start("beginning")->position == domain::Position());
  REQUIRE(start("head")->position == head);
  REQUIRE(start("2")->position == domain::Position(1));
  REQUIRE(start("2")->leaf_hash == ledger.log.leaf_hash(domain::Position(1)));
  REQUIRE(start(std::to_string(head.value() + 1))->position == head);
  REQUIRE_FALSE(start(std::to_string(head.value() + 2)));
}

TEST_CASE("what is not a place to begin is refused") {
  for (const auto* text : {"", "0", "-1", "tail", "1x", "99999999999999999999"}) {
    CAPTURE(text);
    REQUIRE_FALSE(ResumeFrom::parse(text));
  }
}
