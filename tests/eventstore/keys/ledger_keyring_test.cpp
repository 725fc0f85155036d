#include <catch2/catch.hpp>
#include <filesystem>

#include "eventstore/ledger.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

// A ledger and the keys it was made with.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

LmdbOptions options() {
  const auto options = tests::one_gigabyte();
  return options;
}

class NewLedger {
 public:
  explicit NewLedger(std::uint64_t seed) : entropy(seed) {
    REQUIRE(Ledger::create(data, entropy, clock, options()));
  }

  TemporaryDirectory directory;
  DataDirectory data{directory.path() / "data"};
  FixedClock clock{Timestamp(1'790'000'000'000)};
  SeededEntropy entropy;
};

void replace_keys(const NewLedger& of, const NewLedger& with) {
  fs::remove_all(of.data.keys());
  fs::copy(with.data.keys(), of.data.keys());
  fs::permissions(of.data.keys(), fs::perms::owner_all);
}

}  // namespace

TEST_CASE("a ledger refuses the keys of another one, and accepts its own again") {
  const NewLedger mine(1);
  const NewLedger other(2);
  fs::rename(mine.data.keys(), mine.data.root / "kept");
  fs::copy(other.data.keys(), mine.data.keys());
  fs::permissions(mine.data.keys(), fs::perms::owner_all);
  CHECK_THROWS_AS(Ledger::open(mine.data, options()), KeyringError);

  fs::remove_all(mine.data.keys());
  fs::rename(mine.data.root / "kept", mine.data.keys());
  CHECK_NOTHROW(Ledger::open(mine.data, options()));
}

TEST_CASE("a ledger accepts its keys under a new master key") {
  NewLedger mine(1);
  Keyring::rotate_master_key(mine.data.keys(), mine.entropy);
  CHECK_NOTHROW(Ledger::open(mine.data, options()));
}

TEST_CASE("a ledger that is bound to no keys accepts any") {
  NewLedger mine(1);
  const NewLedger other(2);
  fs::remove_all(mine.data.ledger());
  LmdbLog::create(mine.data.ledger(), mine.entropy, options());
  replace_keys(mine, other);
  CHECK_NOTHROW(Ledger::open(mine.data, options()));
}

TEST_CASE("a second creation makes nothing and reports it") {
  NewLedger mine(1);
  const auto id = Ledger::open(mine.data, options()).log->identity();
  CHECK_FALSE(Ledger::create(mine.data, mine.entropy, mine.clock, options()));
  CHECK(Ledger::open(mine.data, options()).log->identity() == id);
}
