#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/eventstore/log/log_fixtures.h"

// The contract of Log for waiting threads.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

constexpr std::chrono::hours kUntilWoken{1};

}  // namespace

TEMPLATE_TEST_CASE("waiting ends at once if the head is past the position, and otherwise at the time-out",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 2);
  CHECK(log.wait_past(Position(1), std::chrono::milliseconds(0)));
  CHECK_FALSE(log.wait_past(Position(2), std::chrono::milliseconds(0)));
  CHECK_FALSE(log.wait_past(Position(2), std::chrono::milliseconds(15)));
}

TEMPLATE_TEST_CASE("a thread that waits for a position is woken by the commit of another thread", "[log]",
                   InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  std::atomic<int> waiting{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      if (log.wait_past(Position(1), kUntilWoken)) ++woken;
    });
  }
  while (waiting < 3) std::this_thread::yield();
  commit(log, batch({record("1", 1)}));
  commit(log, batch({record("2", 1)}));
  for (auto& thread : threads) thread.join();
  CHECK(woken == 3);
}

TEMPLATE_TEST_CASE("a thread that waits for a position or a condition is woken for the condition, too",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 1);
  std::atomic<bool> waits{false};
  std::atomic<bool> is_there{false};
  std::atomic<bool> found{false};
  std::thread waiting([&] {
    found = log.wait_past_or(Position(1), kUntilWoken, [&] {
      waits = true;
      return is_there.load();
    });
  });
  while (!waits) std::this_thread::yield();
  is_there = true;
  log.wake();
  waiting.join();
  CHECK(found);
  CHECK(log.head().position == Position(1));
}

TEMPLATE_TEST_CASE("no thread is woken before the write has ended, so that events can be handed over first",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  std::atomic<int> looks{0};
  std::thread waiting([&] { log.wait_past_or(Position(1), kUntilWoken, [&] { return ++looks, false; }); });
  // It sleeps after its second check.
  while (looks < 2) std::this_thread::yield();
  {
    const auto write = log.begin_write();
    write->append(batch({record("1", 1)}));
    write->commit();
    CHECK(looks == 2);
  }
  while (looks < 3) std::this_thread::yield();
  commit(log, batch({record("2", 1)}));
  waiting.join();
}
