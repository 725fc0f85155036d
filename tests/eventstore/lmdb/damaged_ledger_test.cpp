#include <catch2/catch.hpp>

#include "eventstore/executor/state_cache.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/support/ledgers/closed_store.h"

// Damaged entries of a ledger must not affect readers of the sound ones.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// An empty ledger whose entries are changed behind its back.
class Ledger {
 public:
  Ledger() {
    SeededEntropy entropy(1);
    LmdbLog::create(path(), entropy, tests::one_gigabyte());
  }
  void overwrite(const char* database, std::string_view key, std::string_view value) const {
    change_closed_ledger(path(), [&](MDB_txn* transaction, const DatabaseByName& databases) {
      lmdb_put(transaction, databases(database), key, value);
    });
  }
  void drop(const char* database) const {
    change_closed_ledger(path(), [&](MDB_txn* transaction, const DatabaseByName& databases) {
      check_lmdb(mdb_drop(transaction, databases(database), 1), "mdb_drop");
    });
  }
  bool has(const char* database) const {
    return LmdbEnvironment(path(), {}).find_database(database).has_value();
  }
  std::filesystem::path path() const { return directory_.path() / "ledger"; }

 private:
  TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("damaged entries of the ledger affect only their own readers") {
  const Ledger ledger;
  {
    LmdbLog log(ledger.path(), tests::one_gigabyte());
    commit(log, batch({record("1", 1, "x", "", {"e2e/sound"})}));
  }
  ledger.overwrite("streams", stream_key(stream("lost"), 1), big_endian(99));
  ledger.overwrite("claims", "e2e/damaged", "no stream");

  LmdbLog log(ledger.path(), tests::one_gigabyte());
  const auto write = log.begin_write();
  StateCache states(10);
  const ClaimName damaged("e2e/damaged");
  const ClaimName sound("e2e/sound");
  states.load(*write, {{stream("lost"), stream("new")}, {damaged, sound}});
  CHECK_THROWS_AS(states.find(stream("lost")), LogCorrupt);
  CHECK(states.find(stream("new")) == nullptr);
  CHECK_THROWS_AS(states.claim_holder(damaged), LogCorrupt);
  CHECK(*states.claim_holder(sound) == stream("1"));
}

TEST_CASE("a missing database of a ledger is damage, and is not made again") {
  const Ledger ledger;
  ledger.drop("claims");
  CHECK_THROWS_AS(LmdbLog(ledger.path(), tests::one_gigabyte()), LogCorrupt);
  CHECK_FALSE(ledger.has("claims"));
  CHECK(ledger.has("events"));
}
