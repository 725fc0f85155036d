#include "base/platform/periodic.h"

#include <catch2/catch.hpp>
#include <future>
#include <set>

using namespace pixledger;
using namespace std::chrono_literals;

namespace {

// Counts on one thread, while others wait for a count.
class Count {
 public:
  int add() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return ++count_;
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }
  int now() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("a periodic function is called again after each of its waits, on one other thread") {
  std::set<std::thread::id> threads;
  Count calls;
  {
    const Periodic periodic(Periodic::kAtOnce, [&] {
      threads.insert(std::this_thread::get_id());
      return calls.add() % 2 == 0 ? 1ms : Periodic::kAtOnce;
    });
    calls.wait_for(5);
  }
  CHECK(threads.size() == 1);
  CHECK_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_CASE("a periodic thread that ends while it waits cuts the wait short and calls nothing") {
  const auto wait = GENERATE(Periodic::Wait(24h), Periodic::kUntilWoken);
  Count calls;
  {
    const Periodic periodic(wait, Periodic::kAtOnce, [&] { calls.add(); });
  }
  CHECK(calls.now() == 0);
  {
    const Periodic periodic(Periodic::kAtOnce, wait, [&] { calls.add(); });
    calls.wait_for(1);
  }
  CHECK(calls.now() == 1);
}

TEST_CASE(
    "a periodic thread that is woken calls its function at once, or once more after the call under way") {
  const auto wait = GENERATE(Periodic::Wait(24h), Periodic::kUntilWoken);
  Count begun;
  Count may_end;
  {
    Periodic periodic(wait, wait, [&] { may_end.wait_for(begun.add()); });
    periodic.wake();
    begun.wait_for(1);
    for (int i = 0; i < 3; ++i) periodic.wake();
    may_end.add();
    begun.wait_for(2);
    may_end.add();
  }
  CHECK(begun.now() == 2);
}

TEST_CASE("the end of a periodic thread waits for the call under way, which learns of it") {
  std::promise<Periodic*> made;
  Count asked;
  bool has_learnt = false;
  {
    Periodic periodic(Periodic::kAtOnce, 24h, [&] {
      auto* const own = made.get_future().get();
      const bool stops_early = own->wait_for_stop(0ms) || own->wait_for_stop(1ms);
      asked.add();
      has_learnt = !stops_early && own->wait_for_stop(24h) && own->wait_for_stop(0ms);
    });
    made.set_value(&periodic);
    asked.wait_for(1);
  }
  CHECK(has_learnt);
}

TEST_CASE("no wake of a periodic thread is lost, and its end may come at any time") {
  for (int round = 0; round < 200; ++round) {
    Count calls;
    Periodic periodic(Periodic::kUntilWoken, Periodic::kUntilWoken, [&] { calls.add(); });
    for (int i = 1; i <= 10; ++i) {
      periodic.wake();
      calls.wait_for(i);
    }
    const auto wakes = std::async(std::launch::async, [&] {
      for (int i = 0; i < round; ++i) periodic.wake();
    });
    for (int i = 0; i < round; ++i) periodic.wake();
    wakes.wait();
  }
}
