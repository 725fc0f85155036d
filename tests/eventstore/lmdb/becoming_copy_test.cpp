#include <catch2/catch.hpp>
#include <thread>

#include "base/platform/clock_and_entropy.h"
#include "tests/eventstore/log/log_fixtures.h"

// A log that becomes a node's copy of a shared ledger.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

TEST_CASE("a writer that waits while its log becomes a copy is refused") {
  const TemporaryDirectory directory;
  SeededEntropy entropy(1);
  LmdbLog::create(directory.path(), entropy, one_gigabyte());
  LmdbLog log(directory.path(), one_gigabyte());
  commit(log, batch({record("a", 1, "envelope", "who")}, SystemClock().now()));
  bool is_refused = false;
  std::thread writer;
  log.become_copy([&] {
    writer = std::thread([&] {
      try {
        log.begin_write();
      } catch (const LogUnavailable&) {
        is_refused = true;
      }
    });
    return 1;
  });
  writer.join();
  CHECK(is_refused);
  CHECK(log.copied().batch == 1);
}

TEST_CASE(
    "a log whose publishing came to nothing is what it was, and where that is not known it stays a copy") {
  const TemporaryDirectory directory;
  SeededEntropy entropy(1);
  LmdbLog::create(directory.path(), entropy, one_gigabyte());
  LmdbLog log(directory.path(), one_gigabyte());
  const auto write = [&] {
    commit(log, batch({record("a", log.version_of(stream("a")) + 1)}, SystemClock().now()));
  };
  const auto publish = [&](auto problem) {
    log.become_copy([&]() -> std::uint64_t {
      CHECK(log.is_copy());
      throw problem;
    });
  };
  CHECK_THROWS_AS(publish(LogUnavailable("away")), LogUnavailable);
  CHECK_FALSE(log.is_copy());
  write();
  CHECK_THROWS_AS(publish(LogOutcomeUnknown("no answer")), LogOutcomeUnknown);
  CHECK(log.is_copy());
  CHECK_THROWS_AS(write(), LogUnavailable);
  // A later attempt that fails does not settle the unknown one.
  CHECK_THROWS_AS(publish(LogUnavailable("away")), LogUnavailable);
  CHECK(log.is_copy());
  CHECK_THROWS_AS(log.be_no_copy([] { throw LogUnavailable("away"); }), LogUnavailable);
  CHECK(log.is_copy());
  log.be_no_copy([] {});
  write();
  CHECK(log.head().position == Position(2));
}
