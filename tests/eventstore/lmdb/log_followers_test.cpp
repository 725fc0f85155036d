#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "tests/eventstore/lmdb/forked_child.h"

// How followers of a ledger learn of other processes' commits. Polling is set to an hour, so that only
// wake-ups can wake them.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLongEnough{30};
constexpr std::chrono::hours kNever{1};

LmdbOptions options_that_look(std::chrono::milliseconds every) {
  auto options = one_gigabyte();
  options.look_every = every;
  return options;
}

// A process that waits for the event after each of these positions in turn, and reports when it has the log
// open.
Child follower(const fs::path& ledger, std::vector<Position> after) {
  return Child([ledger, after = std::move(after)](const auto& say_ready) {
    const LmdbLog log(ledger, options_that_look(kNever));
    say_ready();
    return std::all_of(after.begin(), after.end(),
                       [&log](Position position) { return log.wait_past(position, kNever); });
  });
}

// Whether a follower has announced its sleep and has not been woken since.
bool has_sleeper(const fs::path& ledger) {
  char first = 0;
  std::ifstream(ledger / "wake", std::ios::binary).get(first);
  return (first & 1) != 0;
}

bool has_sleeper_in_time(const fs::path& ledger) {
  const auto deadline = std::chrono::steady_clock::now() + kLongEnough;
  while (!has_sleeper(ledger)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

TEST_CASE("a follower that waits for a position is woken by the commits of another process") {
  const EmptyLedger ledger;
  auto child = follower(ledger.path(), {Position(0), Position(1), Position(2)});
  REQUIRE(child.wait_until_ready());
  LmdbLog log(ledger.path(), options_that_look(kNever));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(has_sleeper_in_time(ledger.path()));
    append_one(log);
  }
  REQUIRE(child.ends_within(kLongEnough));
  CHECK(child.status() == 0);
}

TEST_CASE("all waiting followers are woken, in every process") {
  const EmptyLedger ledger;
  auto first = follower(ledger.path(), {Position(0)});
  auto second = follower(ledger.path(), {Position(0)});
  REQUIRE(first.wait_until_ready());
  REQUIRE(second.wait_until_ready());
  LmdbLog log(ledger.path(), options_that_look(kNever));
  std::thread third([&log] { log.wait_past(Position(0), kNever); });
  REQUIRE(has_sleeper_in_time(ledger.path()));
  append_one(log);
  CHECK(first.ends_within(kLongEnough));
  CHECK(second.ends_within(kLongEnough));
  third.join();
}

TEST_CASE("a follower that is killed while it waits causes no lost wake-up, and leaves nothing behind") {
  const EmptyLedger ledger;
  auto killed = follower(ledger.path(), {Position(0)});
  REQUIRE(killed.wait_until_ready());
  REQUIRE(has_sleeper_in_time(ledger.path()));
  killed.kill();
  CHECK(has_sleeper(ledger.path()));
  auto other = follower(ledger.path(), {Position(0), Position(1)});
  REQUIRE(other.wait_until_ready());
  LmdbLog log(ledger.path(), options_that_look(kNever));
  append_one(log);
  REQUIRE(has_sleeper_in_time(ledger.path()));
  append_one(log);
  REQUIRE(other.ends_within(kLongEnough));
  CHECK(other.status() == 0);
  CHECK_FALSE(has_sleeper(ledger.path()));
}

TEST_CASE("a write that is abandoned wakes no follower") {
  const EmptyLedger ledger;
  auto child = follower(ledger.path(), {Position(0)});
  REQUIRE(child.wait_until_ready());
  REQUIRE(has_sleeper_in_time(ledger.path()));
  LmdbLog log(ledger.path(), options_that_look(kNever));
  log.begin_write().reset();
  CHECK(has_sleeper(ledger.path()));
  append_one(log);
  CHECK(child.ends_within(kLongEnough));
}

TEST_CASE(
    "where the shared page cannot be had, followers look by themselves and are woken in their process") {
  const EmptyLedger ledger;
  fs::create_directory(ledger.path() / "wake");
  Child child([&](const auto& say_ready) {
    const LmdbLog log(ledger.path(), options_that_look(std::chrono::milliseconds(10)));
    say_ready();
    return log.wait_past(Position(1), kNever);
  });
  REQUIRE(child.wait_until_ready());
  LmdbLog log(ledger.path(), options_that_look(kNever));
  std::atomic<bool> waits{false};
  std::thread neighbour([&] { log.wait_past_or(Position(0), kNever, [&] { return !(waits = true); }); });
  while (!waits) std::this_thread::yield();
  append_one(log);
  neighbour.join();
  append_one(log);
  REQUIRE(child.ends_within(kLongEnough));
  CHECK(child.status() == 0);
}

TEST_CASE("a ledger of a release without the shared page gets it when it is opened to be written") {
  const EmptyLedger ledger;
  REQUIRE_FALSE(fs::exists(ledger.path() / "wake"));
  auto read_only = options_that_look(kNever);
  read_only.read_only = true;
  { const LmdbLog log(ledger.path(), read_only); }
  CHECK_FALSE(fs::exists(ledger.path() / "wake"));
  { const LmdbLog log(ledger.path(), options_that_look(kNever)); }
  CHECK(fs::is_regular_file(ledger.path() / "wake"));
  // A page cut short while it was copied to another machine becomes whole again.
  fs::resize_file(ledger.path() / "wake", 0);
  LmdbLog log(ledger.path(), options_that_look(kNever));
  append_one(log);
  CHECK(log.wait_past(Position(0), kNever));
}
