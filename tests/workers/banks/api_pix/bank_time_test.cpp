#include <catch2/catch.hpp>

#include "tests/workers/banks/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

TEST_CASE("the end of a window is a whole second, and never after the bank's own time") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  for (const std::int64_t past_ms : {0, 400, 999}) {
    one.clock.set_wall_clock(kStart.plus_millis(past_ms));
    bank.will_answer(
        "GET /pix",
        {.status = 200, .headers = {{"Date", "Sun, 01 Mar 2026 11:59:00 GMT"}}, .body = R"({"pix":[]})"});
    REQUIRE(std::holds_alternative<BankPixPage>(one.client.list_pix({kStart, kStart}, 0, one.turn())));
    CHECK(one.client.now_there() == kStart.plus_millis(-kMinuteMs));
  }
}

TEST_CASE("a bank that takes its own time for the future is asked about a little less, to five minutes") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto less_ms = [&] { return kStart.millis() - one.client.now_there().millis(); };
  CHECK(less_ms() == 0);
  for (const std::int64_t margin_ms : {2'000, 10'000, 60'000, 300'000}) {
    CHECK(one.client.ask_about_less());
    CHECK(less_ms() == margin_ms);
  }
  CHECK_FALSE(one.client.ask_about_less());
  one.client.ask_less_by(0);
  CHECK(less_ms() == 0);
}
