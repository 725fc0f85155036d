#include <catch2/catch.hpp>

#include "tests/workers/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

TEST_CASE("a bank that takes its own time for the future is asked about a little less from then on") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto is_refused = [&](std::int64_t ended_ms_ago) {
    const auto end = one.client.now_there().plus_millis(-ended_ms_ago);
    bank.will_answer("GET /pix", 400, "{}");
    return std::holds_alternative<Refused>(one.client.list_pix({.begin = kStart, .end = end}, 0, one.turn()));
  };
  const auto less_ms = [&] {
    return one.clock.now().millis() + one.client.ahead_ms() - one.client.now_there().millis();
  };
  // What has long passed is refused for another reason.
  CHECK(is_refused(kMinuteMs));
  CHECK(less_ms() == 0);
  CHECK(is_refused(0));
  CHECK(less_ms() == 1'500);
}
