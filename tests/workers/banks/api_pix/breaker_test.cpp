#include <catch2/catch.hpp>

#include "workers/banks/api_pix/call_limits.h"

using namespace pixledger;
using namespace pixledger::workers;
using namespace std::chrono_literals;
using Pass = Breaker::Pass;

namespace {

void fail(Breaker& breaker, int times, BootTime now) {
  for (int i = 0; i < times; ++i) breaker.failed(Pass::kGo, now);
}

}  // namespace

TEST_CASE("a bank that fails five times in a row is left alone, and probed after 5 s") {
  Breaker breaker;
  fail(breaker, 4, 0s);
  CHECK(breaker.admit(0s) == Pass::kGo);
  fail(breaker, 1, 100s);
  CHECK(breaker.is_open());
  CHECK(breaker.admit(104'999ms) == Pass::kNo);
  CHECK(breaker.admit(105s) == Pass::kProbe);
  CHECK(breaker.admit(105s) == Pass::kNo);  // one at a time
}

TEST_CASE("a request that goes well between faults keeps the bank in use") {
  Breaker breaker;
  for (int i = 0; i < 3; ++i) {
    fail(breaker, 4, 0s);
    for (int good = 0; good < 6; ++good) breaker.succeeded(Pass::kGo);
  }
  CHECK_FALSE(breaker.is_open());
}

TEST_CASE("half of the last twenty requests are too many faults") {
  Breaker breaker;
  for (int i = 0; i < 9; ++i) {
    fail(breaker, 1, 0s);
    breaker.succeeded(Pass::kGo);
  }
  breaker.succeeded(Pass::kGo);
  CHECK_FALSE(breaker.is_open());
  fail(breaker, 1, 0s);
  CHECK(breaker.is_open());
}

TEST_CASE("probes that fail come after twice as long, at most 60 s, and one that goes well ends it") {
  Breaker breaker;
  fail(breaker, 5, 0s);
  BootTime now = 5s;
  for (const BootTime next : {BootTime(10s), BootTime(20s), BootTime(40s), BootTime(60s), BootTime(60s)}) {
    REQUIRE(breaker.admit(now) == Pass::kProbe);
    breaker.failed(Pass::kProbe, now);
    CHECK(breaker.probe_at() == now + next);
    now += next;
  }
  REQUIRE(breaker.admit(now) == Pass::kProbe);
  breaker.succeeded(Pass::kProbe);
  CHECK_FALSE(breaker.is_open());
  fail(breaker, 5, now);
  CHECK(breaker.probe_at() == now + 5s);
}

TEST_CASE("a probe that was never sent leaves its turn to the next request") {
  Breaker breaker;
  fail(breaker, 5, 0s);
  REQUIRE(breaker.admit(5s) == Pass::kProbe);
  breaker.cancelled(Pass::kProbe);
  CHECK(breaker.admit(5s) == Pass::kProbe);
}

TEST_CASE("requests begun before the bank was paused have no more effect") {
  Breaker breaker;
  fail(breaker, 5, 0s);
  breaker.succeeded(Pass::kGo);
  breaker.failed(Pass::kGo, 4s);
  CHECK(breaker.is_open());
  CHECK(breaker.probe_at() == 5s);
}
