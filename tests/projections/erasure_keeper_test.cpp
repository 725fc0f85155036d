// When the keeper of read models does its part of an erasure. The remaining bytes are checked in
// tests/eventstore/lmdb/lmdb_scrub_test.cpp and tests/tools/customer_erase_test.cpp.

#include <atomic>
#include <catch2/catch.hpp>
#include <future>

#include "eventstore/lmdb/lmdb_log.h"
#include "projections/generations/erasure.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace pixledger;
using namespace std::chrono_literals;

// The read models of an empty ledger, in use.
struct Fixture {
  explicit Fixture(const eventstore::LmdbOptions& options = tests::one_gigabyte())
      : current(projections::Generation::open_or_build(views, log, options)) {}

  static eventstore::LmdbLog made(const std::filesystem::path& directory) {
    tests::SeededEntropy entropy(1);
    eventstore::LmdbLog::create(directory, entropy, tests::one_gigabyte());
    return eventstore::LmdbLog(directory, tests::one_gigabyte());
  }

  std::filesystem::path generation() const { return current.in_use()->directory(); }

  tests::TemporaryDirectory directory;
  eventstore::LmdbLog log = made(directory.path() / "ledger");
  std::filesystem::path views = directory.path() / "views";
  projections::CurrentViews current;
};

// A text that another thread sets once.
class Told {
 public:
  void say(const std::string& text) {
    if (!said_.exchange(true)) promise_.set_value(text);
  }
  // Returns "" at the time-out.
  std::string wait() {
    auto text = promise_.get_future();
    return text.wait_for(30s) == std::future_status::ready ? text.get() : "";
  }

 private:
  std::atomic<bool> said_ = false;
  std::promise<std::string> promise_;
};

}  // namespace

TEST_CASE("a keeper that waits for a reader can be stopped, and has not done its part then") {
  Fixture fixture;
  const auto request = projections::request_erasure(fixture.views, Position());
  const auto store = fixture.current.database();
  const eventstore::LmdbRead reader(store->environment());
  Told begun;
  projections::ErasureKeeperOptions options;
  options.look_every = 1ms;
  options.patience = 60s;
  auto keeper = std::make_unique<projections::ErasureKeeper>(
      fixture.current, [&] { begun.say("begun"); }, [](const std::string&) {}, options);
  REQUIRE(begun.wait() == "begun");
  const auto told = std::chrono::steady_clock::now();
  keeper.reset();
  CHECK(std::chrono::steady_clock::now() - told < 20s);
  CHECK_FALSE(projections::is_erasure_done(fixture.generation(), request));
}

TEST_CASE("a keeper without space says how to get some") {
  auto options = tests::one_gigabyte();
  options.map_bytes = std::size_t{256} << 10;
  Fixture fixture(options);
  const auto request = projections::request_erasure(fixture.views, Position());
  Told fault;
  {
    const projections::ErasureKeeper keeper(
        fixture.current, [] {}, [&](const std::string& text) { fault.say(text); }, {1ms, 1ms, 10ms});
    CHECK(fault.wait().find("give all programs a larger --map-size") != std::string::npos);
  }
  CHECK_FALSE(projections::is_erasure_done(fixture.generation(), request));
}

TEST_CASE("read models made after an erasure have nothing to remove, earlier ones have") {
  const Fixture fixture;
  const auto request = projections::request_erasure(fixture.views, Position());
  CHECK_FALSE(projections::is_erasure_done(fixture.generation(), request));
  const projections::UnfinishedGeneration made(fixture.views);
  CHECK(projections::is_erasure_done(made.path(), request));
  const auto next = projections::request_erasure(fixture.views, Position());
  CHECK_FALSE(projections::is_erasure_done(made.path(), next));
}
