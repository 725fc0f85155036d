#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/eventstore/lmdb/forked_child.h"
#include "tests/support/memory_log.h"

// A ledger's guarantees to several writing processes; for followers see log_followers_test.cpp.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

TEST_CASE("processes that write one ledger take turns, and its tree stays right") {
  constexpr std::uint32_t kWrites = 30;
  const EmptyLedger ledger;
  const auto append_many = [&] {
    LmdbLog log(ledger.path(), tests::one_gigabyte());
    for (std::uint32_t i = 0; i < kWrites; ++i) append_one(log);
  };
  Child child([&](const auto& say_ready) {
    say_ready();
    append_many();
    return true;
  });
  REQUIRE(child.wait_until_ready());
  append_many();
  REQUIRE(child.status() == 0);

  const LmdbLog log(ledger.path(), tests::one_gigabyte());
  const auto events = log.read_after(Position(), 1000);
  REQUIRE(events.size() == 2 * kWrites);
  MemoryLog reference(log.identity());
  for (const auto& event : events) {
    append_one(reference);
    INFO("position " << event.position.value());
    CHECK(event.position == reference.head().position);
    CHECK(event.bytes == "envelope " + std::to_string(event.position.value()));
    CHECK(log.tree_record(event.position) == reference.tree_record(event.position));
  }
}

TEST_CASE("a writer that is killed inside its write leaves nothing behind and blocks no other") {
  const EmptyLedger ledger;
  Child child([&](const auto& say_ready) {
    LmdbLog log(ledger.path(), tests::one_gigabyte());
    const auto write = log.begin_write();
    write->append(next_of_stream(*write));
    say_ready();
    while (true) ::pause();
    return false;
  });
  REQUIRE(child.wait_until_ready());
  child.kill();

  LmdbLog log(ledger.path(), tests::one_gigabyte());
  CHECK(log.head().position == Position(0));
  append_one(log);
  CHECK(log.head().position == Position(1));
  CHECK(log.version_of(shared_stream()) == 1);
}

TEST_CASE("a process goes on when another one has made the ledger larger than its own map") {
  LmdbOptions small;
  small.map_bytes = std::size_t{1} << 20;
  LmdbOptions large;
  large.map_bytes = std::size_t{64} << 20;
  const EmptyLedger ledger(small);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Child child([&](const auto& say_ready) {
    // Not before the parent has mapped the small size.
    char byte = 0;
    if (::read(ends[0], &byte, 1) != 1) return false;
    LmdbLog log(ledger.path(), large);
    while (log.head().position < Position(100)) {
      const auto write = log.begin_write();
      auto batch = next_of_stream(*write);
      batch.records.front().bytes += std::string(100'000, 'x');
      write->append(batch);
      write->commit();
    }
    say_ready();
    return true;
  });
  LmdbLog log(ledger.path(), small);
  CHECK(log.head().position == Position(0));
  REQUIRE(::write(ends[1], "g", 1) == 1);
  REQUIRE(child.wait_until_ready());
  ::close(ends[0]);
  ::close(ends[1]);

  SECTION("to read") {
    std::vector<std::thread> readers;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i) {
      readers.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          if (log.head().position == Position(100) &&
              log.read_stream(shared_stream(), 90, kNoLimit).events.size() == 10)
            ++right;
        }
      });
    }
    for (auto& reader : readers) reader.join();
    CHECK(right == 400);
  }
  SECTION("to write") {
    append_one(log);
    CHECK(log.head().position == Position(101));
  }
  CHECK(child.status() == 0);
}
