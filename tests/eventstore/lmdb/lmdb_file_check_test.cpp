#include "eventstore/lmdb/lmdb_file_check.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::eventstore;
namespace fs = std::filesystem;

namespace {

class Store {
 public:
  Store() {
    options_.map_bytes = std::size_t{1} << 28;
    options_.sync = false;
  }

  fs::path file() const { return directory_.path() / "data.mdb"; }
  void open() const { const LmdbEnvironment environment(directory_.path(), options_); }
  void open_to_read() const {
    auto options = options_;
    options.read_only = true;
    const LmdbEnvironment environment(directory_.path(), options);
  }

  // Each write puts `count` values and removes those that `keep` rejects.
  template <class Keep>
  void write(int count, std::size_t value_bytes, Keep keep) const {
    LmdbEnvironment environment(directory_.path(), options_);
    const auto database = environment.open_database("values");
    LmdbWrite write(environment);
    for (int i = 0; i < count; ++i)
      lmdb_put(write.get(), database, big_endian(static_cast<std::uint64_t>(i)),
               std::string(value_bytes, 'x'));
    for (int i = 0; i < count; ++i) {
      const auto key = big_endian(static_cast<std::uint64_t>(i));
      MDB_val key_val = to_val(key);
      if (!keep(i)) check_lmdb(mdb_del(write.get(), database, &key_val, nullptr), "mdb_del");
    }
    write.commit();
  }

 private:
  tests::TemporaryDirectory directory_;
  LmdbOptions options_;
};

bool all(int) { return true; }

}  // namespace

TEST_CASE("a store whose file has lost pages is refused") {
  const Store store;
  store.write(2000, 300, all);
  const auto whole = fs::file_size(store.file());
  store.open();
  for (const std::uintmax_t left : {whole - 4096, whole - 1, whole / 2, std::uintmax_t{3 * 4096}}) {
    INFO(left);
    fs::resize_file(store.file(), left);
    CHECK_THROWS_AS(store.open(), LmdbFileDamaged);
    CHECK_THROWS_AS(store.open_to_read(), LmdbFileDamaged);
    // The bytes stay lost, but only the length is checked.
    fs::resize_file(store.file(), whole);
  }
  CHECK_NOTHROW(store.open());
}

TEST_CASE("a store opens after any mixture of writes") {
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const Store store;
  for (int i = 0; i < 60; ++i) {
    const unsigned keep_one_in = random() % 4 + 1;
    store.write(static_cast<int>(random() % 500), random() % 9000,
                [&](int) { return random() % keep_one_in == 0; });
    REQUIRE_NOTHROW(store.open());
    REQUIRE_NOTHROW(store.open_to_read());
  }
}
