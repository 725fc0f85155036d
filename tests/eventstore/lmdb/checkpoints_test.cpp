#include "eventstore/lmdb/checkpoints.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/lmdb_stats.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

// Checkpoints of an environment without a ledger; for ledgers see journaled_log_test.cpp.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

const LogIdentity kOwner{std::string(kLedgerIdSize, 'a'), 1};

LmdbOptions with_checkpoints() {
  auto options = without_sync(one_gigabyte());
  options.has_checkpoints = true;
  return options;
}

Checkpoints::Content no_content(MDB_txn*) { return {7, {}}; }

// An environment with one number in it.
struct Opened {
  explicit Opened(const std::filesystem::path& directory)
      : environment(directory, with_checkpoints()), numbers(environment.open_database("numbers")) {}

  void put(std::uint64_t number) const {
    LmdbWrite write(environment);
    // More than one page changes, so that the pages of older states are used again.
    for (std::uint64_t key = 0; key < 500; ++key)
      lmdb_put(write.get(), numbers, big_endian(key), big_endian(number) + std::string(100, 'x'));
    write.commit();
  }
  // Returns the number if all entries agree.
  std::optional<std::uint64_t> get() const {
    const LmdbRead read(environment);
    std::optional<std::uint64_t> number;
    for (std::uint64_t key = 0; key < 500; ++key) {
      const auto value = lmdb_get(read.get(), numbers, big_endian(key));
      if (!value || (number && *number != from_big_endian(value->substr(0, 8)))) return std::nullopt;
      number = from_big_endian(value->substr(0, 8));
    }
    return number;
  }

  LmdbEnvironment environment;
  MDB_dbi numbers;
};

struct Fixture {
  Fixture() {
    std::filesystem::create_directory(path);
    CheckpointFile(path, kOwner).create();
  }
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "environment";
};

}  // namespace

TEST_CASE("an environment goes back to its checkpoint, whatever was written since") {
  const Fixture fixture;
  {
    const Opened opened(fixture.path);
    Checkpoints checkpoints(opened.environment, kOwner, no_content);
    opened.put(1);
    make_checkpoint(opened.environment, checkpoints);
    CHECK(checkpoints.newest().number == 7);
    for (std::uint64_t number = 2; number < 50; ++number) opened.put(number);
  }
  const auto checkpoint = CheckpointFile(fixture.path, kOwner).newest();
  go_back_to(checkpoint, fixture.path);
  {
    const Opened opened(fixture.path);
    CHECK(opened.get() == 1);
    Checkpoints checkpoints(opened.environment, kOwner, no_content);
    {
      const LmdbWrite write(opened.environment);
      checkpoints.hold(checkpoint);
    }
    for (std::uint64_t number = 50; number < 99; ++number) opened.put(number);
  }
  // Again, as after an interrupted recovery.
  go_back_to(checkpoint, fixture.path);
  CHECK(Opened(fixture.path).get() == 1);
}

TEST_CASE("only the newest checkpoint is held, and its successor replaces it once it is written") {
  const Fixture fixture;
  const Opened opened(fixture.path);
  Checkpoints checkpoints(opened.environment, kOwner, no_content);
  opened.put(1);
  make_checkpoint(opened.environment, checkpoints);
  const auto first = checkpoints.newest().transaction;
  CHECK(lmdb_stats(opened.environment).oldest_read == first);
  opened.put(2);
  {
    const LmdbWrite write(opened.environment);
    checkpoints.begin();
  }
  opened.put(3);
  CHECK(lmdb_stats(opened.environment).oldest_read == first);
  CHECK(checkpoints.finish());
  CHECK(checkpoints.newest().transaction == first + 1);
  CHECK(lmdb_stats(opened.environment).oldest_read == first + 1);
  make_checkpoint(opened.environment, checkpoints);
  CHECK(checkpoints.newest().transaction == first + 2);
  const auto sequence = checkpoints.newest().sequence;
  make_checkpoint(opened.environment, checkpoints);  // nothing new
  CHECK(checkpoints.newest().sequence == sequence);
}

TEST_CASE("a checkpoint that is torn while it is written leaves the one before it") {
  const Fixture fixture;
  const Opened opened(fixture.path);
  Checkpoints checkpoints(opened.environment, kOwner, no_content);
  opened.put(1);
  make_checkpoint(opened.environment, checkpoints);
  const auto before = checkpoints.newest();
  const auto file = fixture.path / "checkpoint";
  const auto older = read_if_there(file).value();
  opened.put(2);
  make_checkpoint(opened.environment, checkpoints);
  const auto newer = read_if_there(file).value();
  const auto slot_at = (checkpoints.newest().sequence + 1) % 2 * 4096;
  const auto written = newer.find_last_not_of('\0', slot_at + 4091) + 1 - slot_at;
  for (std::size_t count = 0; count < 4096; count += count < written ? 1 : 512) {
    auto torn = older;
    torn.replace(slot_at, count, newer, slot_at, count);
    std::ofstream(file, std::ios::binary) << torn;
    INFO(count << " bytes");
    CHECK(checkpoints.file().newest().transaction == before.transaction);
  }
  auto both = older;
  both.replace(slot_at, 4096, newer, slot_at, 4096);
  std::ofstream(file, std::ios::binary) << both;
  CHECK(checkpoints.file().newest().transaction == checkpoints.newest().transaction);
  std::ofstream(file, std::ios::binary) << std::string(both.size(), '\0');
  CHECK_THROWS_WITH(checkpoints.file().newest(), Catch::Contains("no whole checkpoint"));
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(checkpoints.file().newest(), Catch::Contains("is missing"));
}

TEST_CASE("no older checkpoint counts instead of one that decays") {
  const Fixture fixture;
  const auto file = fixture.path / "checkpoint";
  const Opened opened(fixture.path);
  Checkpoints checkpoints(opened.environment, kOwner, no_content);
  std::string older;
  for (std::uint64_t number = 1; number < 3; ++number) {
    older = read_if_there(file).value();
    opened.put(number);
    make_checkpoint(opened.environment, checkpoints);
  }
  const auto newest = checkpoints.newest();
  const auto slot_at = (newest.sequence + 1) % 2 * 4096;
  auto held = read_if_there(file).value();
  SECTION("after it was written") {}
  SECTION("after it is held, where power was lost before the older one was overwritten") {
    older.replace(slot_at, 4096, held, slot_at, 4096);
    std::ofstream(file, std::ios::binary) << older;
    Checkpoints next(opened.environment, kOwner, no_content);
    const LmdbWrite write(opened.environment);
    next.hold(newest);
    held = read_if_there(file).value();
  }
  for (const std::uint64_t byte : {0, 4, 20, 60, 100, 200, 4095}) {
    auto decayed = held;
    decayed[slot_at + byte] = static_cast<char>(decayed[slot_at + byte] ^ 1);
    std::ofstream(file, std::ios::binary) << decayed;
    INFO("byte " << byte);
    CHECK_THROWS_WITH(checkpoints.file().newest(), Catch::Contains("no whole checkpoint"));
  }
}

TEST_CASE("a checkpoint of another ledger, or of a newer data file, is refused") {
  const Fixture fixture;
  {
    const Opened opened(fixture.path);
    opened.put(1);
    std::filesystem::copy(fixture.path / "data.mdb", fixture.directory.path() / "older");
    Checkpoints checkpoints(opened.environment, kOwner, no_content);
    opened.put(2);
    make_checkpoint(opened.environment, checkpoints);
  }
  CHECK_THROWS_WITH(CheckpointFile(fixture.path, {std::string(kLedgerIdSize, 'b'), 1}).newest(),
                    Catch::Contains("of another ledger"));
  CHECK_THROWS_WITH(CheckpointFile(fixture.path, {kOwner.ledger_id, 2}).newest(),
                    Catch::Contains("from before a restore"));
  std::filesystem::rename(fixture.directory.path() / "older", fixture.path / "data.mdb");
  CHECK_THROWS_WITH(go_back_to(CheckpointFile::newest_in(fixture.path), fixture.path),
                    Catch::Contains("do not belong together"));
}
