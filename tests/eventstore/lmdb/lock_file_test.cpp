#include "eventstore/lmdb/lock_file.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/eventstore/lmdb/forked_child.h"

using namespace pixledger;
using namespace pixledger::tests;
using eventstore::LmdbLog;
using eventstore::LockFileUnusable;

namespace {

// Another process that has the ledger open.
Child user_of(const EmptyLedger& ledger) {
  return Child([&ledger](const Child::SayReady& say_ready) {
    const LmdbLog log(ledger.path(), one_gigabyte());
    say_ready();
    ::pause();
    return true;
  });
}

}  // namespace

TEST_CASE("a lock file removed under an open ledger is named, and no other process can write then") {
  const EmptyLedger ledger;
  auto other = user_of(ledger);
  REQUIRE(other.wait_until_ready());
  std::filesystem::remove(ledger.path() / "lock.mdb");
  CHECK_THROWS_AS(LmdbLog(ledger.path(), one_gigabyte()), LockFileUnusable);
  CHECK_FALSE(std::filesystem::exists(ledger.path() / "lock.mdb"));
  other.kill();
  LmdbLog log(ledger.path(), one_gigabyte());
  append_one(log);
}

TEST_CASE("a lock file damaged under an open ledger is named, and not the ledger") {
  const EmptyLedger ledger;
  auto other = user_of(ledger);
  REQUIRE(other.wait_until_ready());
  std::fstream(ledger.path() / "lock.mdb", std::ios::in | std::ios::out | std::ios::binary)
      << std::string(64, 'x');
  CHECK_THROWS_WITH(LmdbLog(ledger.path(), one_gigabyte()),
                    Catch::Contains("lock.mdb is damaged") && Catch::Contains("nothing is lost"));
  other.kill();
  LmdbLog log(ledger.path(), one_gigabyte());
  append_one(log);
}
