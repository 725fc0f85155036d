// A change of any byte of a ledger is found. PIXLEDGER_SEED sets the seed; a failure prints it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "projections/generations/generation.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/support/one_gigabyte.h"
#include "tools/audit/verifier.h"
#include "tools/audit/view_verification.h"

namespace pixledger::tests {
namespace {

using eventstore::check_lmdb;
using eventstore::LmdbCursor;
using eventstore::LmdbEnvironment;
using eventstore::LmdbWrite;
using eventstore::to_val;

struct Entry {
  std::string database;
  std::string key;
  std::string value;
};

// The databases of an environment by name, opened by this or by its owner.
std::map<std::string, MDB_dbi> databases_of(MDB_txn* transaction) {
  std::map<std::string, MDB_dbi> databases;
  MDB_dbi names = 0;
  check_lmdb(mdb_dbi_open(transaction, nullptr, 0, &names), "mdb_dbi_open");
  LmdbCursor cursor(transaction, names);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    const std::string name(cursor.key());
    check_lmdb(mdb_dbi_open(transaction, name.c_str(), 0, &databases[name]), "mdb_dbi_open");
  }
  return databases;
}

// Everything that is stored, one entry after the other.
std::vector<Entry> entries_of(MDB_txn* transaction) {
  std::vector<Entry> entries;
  for (const auto& [name, database] : databases_of(transaction)) {
    LmdbCursor cursor(transaction, database);
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT))
      entries.push_back({name, std::string(cursor.key()), std::string(cursor.value())});
  }
  return entries;
}

void put(MDB_txn* transaction, const Entry& entry) {
  eventstore::lmdb_put(transaction, databases_of(transaction).at(entry.database), entry.key, entry.value);
}

void remove(MDB_txn* transaction, const Entry& entry) {
  MDB_val key = to_val(entry.key);
  check_lmdb(mdb_del(transaction, databases_of(transaction).at(entry.database), &key, nullptr), "mdb_del");
}

// The same in an environment that is open, a transaction each.
std::vector<Entry> entries_of(const LmdbEnvironment& environment) {
  LmdbWrite write(environment);
  auto entries = entries_of(write.get());
  write.commit();
  return entries;
}

void put(const LmdbEnvironment& environment, const Entry& entry) {
  LmdbWrite write(environment);
  put(write.get(), entry);
  write.commit();
}

void remove(const LmdbEnvironment& environment, const Entry& entry) {
  LmdbWrite write(environment);
  remove(write.get(), entry);
  write.commit();
}

std::string changed(RandomNumbers& random, std::string bytes) {
  auto& byte = bytes[random.below(bytes.size())];
  byte = static_cast<char>(byte ^ static_cast<char>(1 + random.below(255)));
  return bytes;
}

// Draws each byte of all entries' values equally often.
class Draw {
 public:
  explicit Draw(std::vector<Entry> entries) : entries_(std::move(entries)) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      bytes_.insert(bytes_.end(), entries_[i].value.size(), i);
  }
  const Entry& operator()(RandomNumbers& random) const {
    return entries_[bytes_[random.below(bytes_.size())]];
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> bytes_;
};

// Whether one of them has this key.
bool is_there(const std::vector<Entry>& entries, const Entry& entry) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.database == entry.database && other.key == entry.key;
  });
}

bool is_found(const eventstore::LmdbLog& log) {
  try {
    return tools::verify_log(log, {}).finding.has_value();
  } catch (const std::runtime_error&) {
    return true;  // a fault, which is not "consistent" either
  }
}

std::string describe(const Entry& entry) {
  return entry.database + "[" + to_hex(entry.key) + "] = " + to_hex(entry.value);
}

}  // namespace

TEST_CASE("a ledger that random commands made is consistent") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const StoredRandomLedger ledger(seed, 600);
    const auto result = tools::verify_log(ledger.log(), {});
    INFO("seed " << seed << ", position " << (result.finding ? result.finding->position.value() : 0) << ": "
                 << (result.finding ? result.finding->problem : ""));
    CHECK_FALSE(result.finding);
    CHECK(result.events == ledger.log().head().position.value());
    CHECK(result.claims > 0);
  }
}

TEST_CASE("personal data that an erasure should have taken are found") {
  const StoredRandomLedger ledger(1, 600, StoredRandomLedger::Erasures::kLeftUnfinished);
  const auto result = tools::verify_log(ledger.log(), {});
  REQUIRE(result.finding);
  CHECK(result.finding->part == tools::Part::kErasure);
  CHECK(result.finding->problem.find("are still here") != std::string::npos);
}

TEST_CASE("any byte of any stored value that is changed is found") {
  const auto seed = seed_from_environment(5);
  INFO("PIXLEDGER_SEED=" << seed);
  const StoredRandomLedger ledger(seed, 120);
  const auto& environment = ledger.log().environment();
  const Draw draw(entries_of(environment));
  RandomNumbers random(seed);
  std::map<std::string, unsigned> tried;
  for (int i = 0; i < 3000; ++i) {
    // Half of the draws by entries, so that small values have their turn.
    auto entry = i % 2 == 0 ? draw(random) : random.one_of(draw.entries());
    const auto original = entry;
    entry.value = changed(random, entry.value);
    put(environment, entry);
    INFO(describe(original) << "\nbecame " << describe(entry));
    REQUIRE(is_found(ledger.log()));
    put(environment, original);
    ++tried[entry.database];
  }
  for (const auto* database :
       {"events", "personal", "streams", "claims", "tree", "idempotency", "idempotency_times", "meta"})
    CHECK(tried[database] > 0);
  CHECK_FALSE(is_found(ledger.log()));
}

TEST_CASE("any byte of any key that is changed is found, and so is any entry too few") {
  const auto seed = seed_from_environment(6);
  INFO("PIXLEDGER_SEED=" << seed);
  const StoredRandomLedger ledger(seed, 120);
  const auto& environment = ledger.log().environment();
  const auto entries = entries_of(environment);
  RandomNumbers random(seed);
  for (int i = 0; i < 800; ++i) {
    const auto& original = random.one_of(entries);
    // Early ledgers had no check of meta.
    const bool may_be_missing =
        original.key == "check" || (original.database == "meta" && original.key.substr(0, 5) == "clock");
    auto entry = original;
    do entry.key = changed(random, original.key);
    while (is_there(entries, entry));
    remove(environment, original);
    INFO(describe(original) << "\nbecame " << describe(entry));
    if (!may_be_missing) REQUIRE(is_found(ledger.log()));
    put(environment, entry);
    if (original.key != "check") REQUIRE(is_found(ledger.log()));
    remove(environment, entry);
    put(environment, original);
  }
  CHECK_FALSE(is_found(ledger.log()));
}

TEST_CASE("any byte of the read models that is changed is found") {
  const auto seed = seed_from_environment(7);
  INFO("PIXLEDGER_SEED=" << seed);
  const StoredRandomLedger ledger(seed, 200);
  auto options = tests::one_gigabyte();
  options.sync = false;
  const auto views = ledger.directory() / "views";
  projections::Generation::open_or_build(views, ledger.log(), options).reset();
  tools::ViewVerificationOptions verify;
  const auto generation = projections::find_trusted_generation(views, ledger.log().identity());
  verify.find_generation = [&] { return generation; };
  verify.lmdb = options;
  const TemporaryDirectory scratch;
  verify.scratch = scratch.path();
  REQUIRE(generation);
  const auto are_equal = [&] { return tools::verify_read_models(ledger.log(), verify)->differences.none(); };
  REQUIRE(are_equal());

  // An environment is open once in a process, so the changes come between the checks.
  const auto in_views = [&](const auto& work) {
    change_closed_store(*generation, options, [&](MDB_txn* in, const auto&) { work(in); });
  };
  std::vector<Entry> stored;
  in_views([&](MDB_txn* in) { stored = entries_of(in); });
  const Draw draw(std::move(stored));
  RandomNumbers random(seed);
  for (int i = 0; i < 400; ++i) {
    const auto original = i % 2 == 0 ? draw(random) : random.one_of(draw.entries());
    const bool in_value = !original.value.empty() && random.below(4) != 0;
    auto entry = original;
    do (in_value ? entry.value : entry.key) = changed(random, in_value ? original.value : original.key);
    while (!in_value && is_there(draw.entries(), entry));
    in_views([&](MDB_txn* in) {
      remove(in, original);
      put(in, entry);
    });
    INFO(describe(original) << "\nbecame " << describe(entry));
    REQUIRE_FALSE(are_equal());
    in_views([&](MDB_txn* in) {
      remove(in, entry);
      put(in, original);
    });
  }
  CHECK(are_equal());
}

}  // namespace pixledger::tests
