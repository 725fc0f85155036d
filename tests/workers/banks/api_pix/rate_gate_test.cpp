#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/fixed_clock.h"
#include "workers/banks/api_pix/call_limits.h"

using namespace pixledger;
using namespace pixledger::workers;
using namespace std::chrono_literals;
using Priority = BankPriority;

namespace {

// How many requests begin at once, each ended before the next.
int burst(RatePlan& plan, BootTime now) {
  int count = 0;
  while (plan.earliest(Priority::kCreate, now) == now) {
    plan.begin(Priority::kCreate, now);
    plan.end(Priority::kCreate);
    ++count;
  }
  return count;
}

bool entered(const std::variant<RateGate::Pass, BootTime>& result) {
  return std::holds_alternative<RateGate::Pass>(result);
}

}  // namespace

TEST_CASE("a bank gets a second's worth of requests at once, and then so many a second") {
  RatePlan plan(10, 1h);
  CHECK(burst(plan, 1h) == 10);
  CHECK(plan.earliest(Priority::kCreate, 1h) == BootTime(1h) + 100ms);
  CHECK(burst(plan, BootTime(1h) + 100ms) == 1);
  CHECK(burst(plan, BootTime(1h) + 600ms) == 5);
  CHECK(burst(plan, BootTime(2h)) == 10);  // no more than a second's worth is saved
}

TEST_CASE("the slowest and the fastest rate are kept to the millisecond") {
  RatePlan slow(1, 0s);
  CHECK(burst(slow, 0s) == 1);
  CHECK(slow.earliest(Priority::kCreate, 999ms) == 1s);
  RatePlan fast(1'000, 0s);
  CHECK(burst(fast, 0s) == 1'000);
  CHECK(fast.earliest(Priority::kCreate, 0s) == 1ms);
}

TEST_CASE("eight requests are under way at most, four of them polls and sweeps") {
  RatePlan plan(100, 0s);
  for (const auto priority : {Priority::kPoll, Priority::kSweep, Priority::kPoll, Priority::kSweep}) {
    REQUIRE(plan.earliest(priority, 0s) == BootTime(0));
    plan.begin(priority, 0s);
  }
  CHECK(plan.earliest(Priority::kPoll, 0s) == std::nullopt);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(plan.earliest(Priority::kCallback, 0s) == BootTime(0));
    plan.begin(Priority::kCallback, 0s);
  }
  CHECK(plan.earliest(Priority::kCreate, 0s) == std::nullopt);
  plan.end(Priority::kSweep);
  CHECK(plan.earliest(Priority::kCreate, 0s) == BootTime(0));
}

TEST_CASE(
    "a bank that asks for less gets nothing for as long as it says, five minutes at most, and half then") {
  RatePlan plan(10, 0s);
  plan.slow_down(0s, 3s);
  CHECK(plan.earliest(Priority::kCreate, 0s) == 3s);
  CHECK(plan.rate(0s) == 5'000);
  plan.slow_down(0s, 24h);  // of the same moment: not halved again
  CHECK(plan.earliest(Priority::kCreate, 0s) == 5min);
  CHECK(plan.rate(0s) == 5'000);
  CHECK(plan.rate(30s) == 10'000);
  plan.slow_down(400s, std::nullopt);
  CHECK(plan.earliest(Priority::kCreate, 400s) == 401s);
}

TEST_CASE("a bank that goes on asking for less gets a sixteenth at the least, and all again in time") {
  RatePlan plan(16, 0s);
  for (int i = 0; i < 20; ++i) plan.slow_down(std::chrono::seconds(i), 1s);
  CHECK(plan.rate(19s) == 1'000);
  CHECK(plan.rate(79s) == 16'000);
}

TEST_CASE("a request that cannot begin in time is told at once when it could") {
  const tests::FixedClock clock(Timestamp(0), 0);
  RateGate gate(clock, 1);
  CHECK(entered(gate.enter(Priority::kCreate, 0s)));
  const auto late = gate.enter(Priority::kCreate, 500ms);
  REQUIRE_FALSE(entered(late));
  CHECK(std::get<BootTime>(late) == 1s);
}

TEST_CASE("threads that wait for their turn return on a stop, and none is let through after it") {
  const tests::FixedClock clock(Timestamp(0), 0);
  std::atomic<bool> stopping = false;
  RateGate gate(clock, 100, [&] { return stopping.load(); });
  std::vector<RateGate::Pass> under_way;
  for (std::size_t i = 0; i < RatePlan::kInFlightMax; ++i)
    under_way.push_back(std::get<RateGate::Pass>(gate.enter(Priority::kRefund, 0s)));
  bool waited_in_vain = false;
  std::thread waiting([&] { waited_in_vain = !entered(gate.enter(Priority::kRefund, 1h)); });
  while (gate.waiting() == 0) std::this_thread::yield();
  stopping = true;
  waiting.join();
  CHECK(waited_in_vain);
  under_way.clear();
  CHECK_FALSE(entered(gate.enter(Priority::kCreate, 1h)));
}

TEST_CASE("of those that wait the most urgent goes first") {
  const tests::FixedClock clock(Timestamp(0), 0);
  RateGate gate(clock, 100);
  std::vector<RateGate::Pass> under_way;
  for (std::size_t i = 0; i < RatePlan::kInFlightMax; ++i)
    under_way.push_back(std::get<RateGate::Pass>(gate.enter(Priority::kRefund, 0s)));

  std::vector<Priority> order;  // each adds itself while it has the only room there is
  const auto wait = [&](Priority priority) {
    const auto pass = gate.enter(priority, 1h);
    order.push_back(priority);
  };
  std::thread sweep(wait, Priority::kSweep);
  std::thread poll(wait, Priority::kPoll);
  std::thread create(wait, Priority::kCreate);
  while (gate.waiting() < 3) std::this_thread::yield();
  under_way.pop_back();
  sweep.join();
  poll.join();
  create.join();
  CHECK(order == std::vector{Priority::kCreate, Priority::kPoll, Priority::kSweep});
}
