// Values removed from an LMDB file are in none of its bytes, and the others still are.
#include "eventstore/lmdb/lmdb_scrub.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "eventstore/lmdb/lmdb_page.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {
namespace {

using eventstore::LmdbEnvironment;
using eventstore::LmdbRead;
using eventstore::LmdbWrite;

constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::size_t kTokenBytes = 12;

// Two databases whose values repeat a token each, so that any piece of a value identifies it.
class Store {
 public:
  explicit Store(std::uint64_t seed) : random_(seed) {}

  const LmdbEnvironment& environment() const { return environment_; }
  eventstore::InWrite in_write() const {
    return [this](const std::function<void(LmdbWrite&)>& work) {
      LmdbWrite write(environment_);
      work(write);
    };
  }

  // A transaction of some puts, changes and removals.
  void change() {
    LmdbWrite write(environment_);
    for (auto left = 1 + random_.below(60); left > 0; --left) {
      if (!records_.empty() && random_.one_in(3)) {
        remove(write);
      } else {
        put(write);
      }
    }
    write.commit();
  }

  void wipe() const {
    eventstore::scrub_page_buffers(in_write());
    eventstore::scrub_unused_bytes(environment_, in_write(), kPatience);
  }

  bool has_all_records() const {
    const LmdbRead read(environment_);
    for (const auto& [key, value] : records_) {
      if (eventstore::lmdb_get(read.get(), database_of(key), key) != std::string_view(value)) return false;
    }
    return true;
  }

  std::size_t removed_in_file() const {
    std::ifstream in(directory_.path() / "data.mdb", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::size_t found = 0;
    for (const auto& token : removed_) found += bytes.find(token) != std::string::npos;
    return found;
  }

 private:
  MDB_dbi database_of(const std::string& key) const { return key.front() % 2 == 0 ? even_ : odd_; }

  std::string token() {
    std::string text;
    for (std::size_t i = 0; i < kTokenBytes; ++i) text.push_back(static_cast<char>('a' + random_.below(26)));
    return text;
  }

  void put(LmdbWrite& write) {
    const bool is_new = records_.empty() || !random_.one_in(4);
    const auto key = is_new ? token() : any_key();
    if (!is_new) removed_.insert(records_.at(key).substr(0, kTokenBytes));
    const auto repeated = token();
    std::string value;
    const auto copies = random_.one_in(10) ? 200 + random_.below(800) : 1 + random_.below(40);
    for (std::uint64_t i = 0; i < copies; ++i) value += repeated;
    eventstore::lmdb_put(write.get(), database_of(key), key, value);
    records_[key] = value;
  }

  void remove(LmdbWrite& write) {
    const auto key = any_key();
    MDB_val key_val = eventstore::to_val(key);
    eventstore::check_lmdb(mdb_del(write.get(), database_of(key), &key_val, nullptr), "mdb_del");
    removed_.insert(records_.at(key).substr(0, kTokenBytes));
    records_.erase(key);
  }

  std::string any_key() {
    auto found = records_.lower_bound(token());
    return found == records_.end() ? records_.begin()->first : found->first;
  }

  static eventstore::LmdbOptions options() {
    auto options = tests::one_gigabyte();
    options.sync = false;
    return options;
  }

  const TemporaryDirectory directory_;
  mutable LmdbEnvironment environment_{directory_.path(), options()};
  const MDB_dbi even_ = environment_.open_database("even");
  const MDB_dbi odd_ = environment_.open_database("odd");
  RandomNumbers random_;
  std::map<std::string, std::string> records_;
  std::set<std::string> removed_;
};

}  // namespace

TEST_CASE("no byte of the file holds a removed value, and the other values are still there") {
  const auto seed = seed_from_environment(11);
  for (auto run = seed; run < seed + 4; ++run) {
    INFO("PIXLEDGER_SEED=" << run);
    Store store(run);
    for (int i = 0; i < 60; ++i) store.change();
    REQUIRE(store.removed_in_file() > 0);
    store.wipe();
    CHECK(store.removed_in_file() == 0);
    CHECK(store.has_all_records());
    // No removed value returns from the buffers in which pages are prepared.
    for (int i = 0; i < 30; ++i) store.change();
    REQUIRE(store.has_all_records());
    store.wipe();
    CHECK(store.removed_in_file() == 0);
    CHECK(store.has_all_records());
  }
}

TEST_CASE("only the stated count of a record of free pages is read") {
  // LMDB reserves such a record before it knows its number of pages.
  const std::uint64_t left_empty[] = {0, 7, 8};
  const std::uint64_t half_full[] = {2, 9, 5, 7};
  const std::uint64_t damaged[] = {4, 9, 5, 7};
  const auto pages_of = [](const auto& record) {
    return eventstore::pages_in_free_record(
        {reinterpret_cast<const char*>(std::data(record)), sizeof record});
  };
  CHECK(pages_of(left_empty) == 0);
  CHECK(pages_of(half_full) == 2);
  CHECK(pages_of(damaged) == std::nullopt);
  CHECK(eventstore::pages_in_free_record("short") == std::nullopt);
}

TEST_CASE("removed values do not return with later pages once the buffers are scrubbed") {
  const auto seed = seed_from_environment(12);
  INFO("PIXLEDGER_SEED=" << seed);
  Store store(seed);
  for (int i = 0; i < 80; ++i) store.change();
  store.wipe();
  REQUIRE(store.removed_in_file() == 0);
  // Values of one letter, which are never removed.
  auto database = MDB_dbi{0};
  for (int round = 0; round < 50; ++round) {
    LmdbWrite write(store.environment());
    eventstore::check_lmdb(mdb_dbi_open(write.get(), "even", 0, &database), "mdb_dbi_open");
    for (int i = 0; i < 40; ++i) {
      const auto key = "Z" + std::to_string((round * 7919 + i * 104'729) % 100'000);
      eventstore::lmdb_put(write.get(), database, key, std::string(static_cast<std::size_t>(100 + i), '.'));
    }
    write.commit();
  }
  CHECK(store.removed_in_file() == 0);
  CHECK(store.has_all_records());
}

TEST_CASE("scrubbing waits for a snapshot that is being read and never changes it") {
  Store store(3);
  for (int i = 0; i < 40; ++i) store.change();
  REQUIRE(store.has_all_records());
  auto reader = std::make_unique<LmdbRead>(store.environment());
  const Store& before = store;
  CHECK(before.has_all_records());
  store.change();
  eventstore::scrub_page_buffers(store.in_write());
  CHECK_THROWS_AS(
      eventstore::scrub_unused_bytes(store.environment(), store.in_write(), std::chrono::milliseconds(30)),
      eventstore::SnapshotInUse);
  struct Enough {};
  CHECK_THROWS_AS(eventstore::scrub_unused_bytes(store.environment(), store.in_write(),
                                                 std::chrono::minutes(1), [] { throw Enough(); }),
                  Enough);
  reader.reset();
  store.wipe();
  CHECK(store.removed_in_file() == 0);
  CHECK(store.has_all_records());
}

TEST_CASE("a file is scrubbed while other processes write to it") {
  Store store(4);
  for (int i = 0; i < 60; ++i) store.change();
  auto database = MDB_dbi{0};
  {
    LmdbWrite write(store.environment());
    eventstore::check_lmdb(mdb_dbi_open(write.get(), "odd", 0, &database), "mdb_dbi_open");
    write.commit();
  }
  std::atomic<bool> stop = false;
  std::atomic<unsigned> written = 0;
  std::thread writer([&] {
    while (!stop) {
      LmdbWrite write(store.environment());
      const auto key = "Z" + std::to_string(written * 7919 % 5'000);
      eventstore::lmdb_put(write.get(), database, key, std::string(50 + written % 3'000, '.'));
      write.commit();
      ++written;
    }
  });
  while (written < 100) std::this_thread::yield();
  store.wipe();
  const auto meanwhile = written.load();
  while (written < meanwhile + 100) std::this_thread::yield();
  stop = true;
  writer.join();
  CHECK(store.removed_in_file() == 0);
  CHECK(store.has_all_records());
}

}  // namespace pixledger::tests
