#include "base/http/transport/timer_wheel.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace pixledger;
using namespace std::chrono_literals;
using http::Timer;
using http::TimerWheel;

namespace {

const TimerWheel::Clock::time_point kBegan{};

}  // namespace

TEST_CASE("a timer is due once its time has come, and not before") {
  TimerWheel wheel(kBegan);
  int rung = 0;
  Timer timer([&rung] { ++rung; });
  wheel.set(timer, kBegan + 25ms);
  wheel.advance(kBegan + 25ms);
  CHECK(rung == 0);
  wheel.advance(kBegan + 25ms + TimerWheel::kTick);
  CHECK(rung == 1);
  CHECK_FALSE(timer.is_set());
  wheel.advance(kBegan + 1h);
  CHECK(rung == 1);
}

TEST_CASE("a timer that is moved, cancelled or destroyed is not due at its old time") {
  TimerWheel wheel(kBegan);
  int rung = 0;
  Timer moved([&rung] { ++rung; });
  Timer cancelled([&rung] { ++rung; });
  auto destroyed = std::make_unique<Timer>([&rung] { ++rung; });
  for (auto* timer : {&moved, &cancelled, destroyed.get()}) wheel.set(*timer, kBegan + 50ms);
  wheel.set(moved, kBegan + 100ms);
  cancelled.cancel();
  destroyed.reset();
  wheel.advance(kBegan + 90ms);
  CHECK(rung == 0);
  wheel.advance(kBegan + 120ms);
  CHECK(rung == 1);
}

TEST_CASE("a due timer may set itself again, and a timer of a later turn of the wheel is not due") {
  TimerWheel wheel(kBegan);
  std::vector<std::chrono::milliseconds> rung;
  auto now = kBegan;
  Timer again([&] {
    rung.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(now - kBegan));
    if (rung.size() < 3) wheel.set(again, now + 20s);
  });
  wheel.set(again, kBegan + 20s);
  for (; now < kBegan + 70s; now += 5ms) wheel.advance(now);
  REQUIRE(rung.size() == 3);
  CHECK(rung[0] >= 20s);
  CHECK(rung[0] < 20s + 2 * TimerWheel::kTick);
  CHECK(rung[2] >= 60s);
}

TEST_CASE("random timers are due in time after sleeps of any length") {
  std::mt19937 random(7);
  TimerWheel wheel(kBegan);
  auto now = kBegan;
  std::map<int, TimerWheel::Clock::time_point> due;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 500; ++i)
    timers.push_back(std::make_unique<Timer>([&, i] {
      CHECK(due.at(i) <= now);
      due.erase(i);
    }));
  for (int step = 0; step < 2'000; ++step) {
    const auto i = static_cast<int>(random() % timers.size());
    due[i] = now + std::chrono::milliseconds(random() % 30'000);
    wheel.set(*timers[static_cast<std::size_t>(i)], due[i]);
    now += std::chrono::milliseconds(random() % (step % 100 == 0 ? 20'000 : 50));
    wheel.advance(now);
    for (const auto& [left, time] : due) CHECK(time + TimerWheel::kTick > now);
    CHECK((due.empty() || wheel.next_due() <= due.begin()->second + TimerWheel::kTick));
  }
}
