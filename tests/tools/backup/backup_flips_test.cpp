// A backup is restored byte for byte, or not at all. PIXLEDGER_SEED sets the seed; a failure prints it.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "eventstore/backup/backup_error.h"
#include "stores/deliveries/delivery_repository.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/tools/backup/backup_fixture.h"
#include "tools/operations/backup_directory.h"

namespace pixledger::tests {
namespace {

namespace fs = std::filesystem;

eventstore::LmdbOptions small() {
  const auto options = tests::one_gigabyte();
  return options;
}

// A ledger that random commands made, with a worker's state, and a backup of it in two runs.
class RandomBackup {
 public:
  explicit RandomBackup(std::uint64_t seed) : ledger_(seed, 300) {
    const DataDirectory data{ledger_.directory()};
    fs::create_directories(data.worker("webhooks"));
    stores::DeliveryRepository(data.worker("webhooks") / stores::kDeliveriesFile)
        .add({}, eventstore::cursor_at(ledger_.log(), ledger_.log().head().position));
    tools::BackupRequest request;
    request.directory = backup();
    tools::back_up(data, ledger_.log(), request);
    tools::back_up(data, ledger_.log(), request);
  }

  const eventstore::LmdbLog& log() const { return ledger_.log(); }
  fs::path backup() const { return directory_.path() / "backup"; }
  DataDirectory restored() const { return {directory_.path() / "restored"}; }

  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(backup())) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  tools::Restore restore() const {
    tools::RestoreRequest request;
    request.pieces = {backup()};
    request.lmdb = small();
    SeededEntropy entropy(1);
    return tools::restore(restored(), request, entropy);
  }

  // Returns the restore's error, or "".
  std::string refusal() const {
    try {
      restore();
      return {};
    } catch (const eventstore::BackupRefused& refused) {
      return refused.what();
    }
  }

 private:
  StoredRandomLedger ledger_;
  TemporaryDirectory directory_;
};

// Everything in it except what a restore makes again.
std::map<std::string, std::string> content_of_ledger(const eventstore::LmdbLog& log) {
  std::map<std::string, std::string> content;
  const auto& databases = log.databases();
  const std::map<std::string, MDB_dbi> names{{"events", databases.events},
                                             {"personal", databases.personal},
                                             {"streams", databases.streams},
                                             {"claims", databases.claims},
                                             {"tree", databases.tree},
                                             {"idempotency", databases.idempotency},
                                             {"idempotency_times", databases.idempotency_times},
                                             {"meta", databases.meta}};
  const eventstore::LmdbRead read(log.environment());
  for (const auto& [name, database] : names) {
    eventstore::LmdbCursor cursor(read.get(), database);
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT))
      content[name + '/' + std::string(cursor.key())] = cursor.value();
  }
  for (const char* name : {"meta/epoch", "meta/ended_epochs", "meta/check", "meta/clock_acceptance",
                           "meta/clock_accepted", "meta/format", "meta/journal"})
    content.erase(name);
  return content;
}

// The records of the last 48 hours, the only ones in a backup.
void forget_old_idempotency(std::map<std::string, std::string>& content, Timestamp now) {
  const std::string prefix = "idempotency_times/";
  const auto keep_from =
      big_endian(static_cast<std::uint64_t>(now.millis() - eventstore::kIdempotencyKeptMs));
  for (auto entry = content.lower_bound(prefix); entry != content.end();) {
    if (entry->first.substr(0, prefix.size()) != prefix) break;
    const auto key = entry->first.substr(prefix.size());
    if (key.substr(0, 8) >= keep_from) break;
    content.erase("idempotency/" + key.substr(8));
    entry = content.erase(entry);
  }
}

void write(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

std::uint64_t seed_of_this_run() {
  const char* given = std::getenv("PIXLEDGER_SEED");
  return given ? std::stoull(given) : 1;
}

}  // namespace

TEST_CASE("a random ledger is restored byte for byte") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomBackup backup(seed);
  backup.restore();
  auto expected = content_of_ledger(backup.log());
  forget_old_idempotency(expected, backup.log().head().time);
  const eventstore::LmdbLog restored(backup.restored().ledger(), small());
  CHECK(content_of_ledger(restored) == expected);
  CHECK(restored.identity().epoch > backup.log().identity().epoch);
}

TEST_CASE("a changed byte of any file of a backup is found, and nothing is restored") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  RandomNumbers random(seed);
  const RandomBackup backup(seed);
  const auto files = backup.files();
  REQUIRE(files.size() == 4);
  for (const auto& file : files) {
    const auto content = content_of(file);
    for (int i = 0; i < 50; ++i) {
      auto changed = content;
      const auto at = random.below(changed.size());
      changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1 + random.below(255)));
      write(file, changed);
      INFO(file << ", byte " << at);
      const auto refusal = backup.refusal();
      CHECK(says(refusal, file.string()));
      CHECK_FALSE(fs::exists(backup.restored().root));
    }
    write(file, content);
  }
  CHECK(backup.refusal().empty());
}

TEST_CASE("a file of a backup that was cut, extended or lost is found") {
  const RandomBackup backup(3);
  for (const auto& file : backup.files()) {
    const auto content = content_of(file);
    INFO(file);
    for (const auto& other : {content.substr(0, content.size() - 1), content + 'x', std::string()}) {
      write(file, other);
      CHECK(says(backup.refusal(), file.string()));
    }
    fs::remove(file);
    CHECK_FALSE(backup.refusal().empty());
    write(file, content);
  }
  CHECK(backup.refusal().empty());
}

TEST_CASE("a changed event of a backup is named by its position") {
  const RandomBackup backup(4);
  const auto file = backup.backup() / "events" / "00000000000000000001";
  auto content = content_of(file);
  // The head of the file, then lengths and leaf hash of the first event.
  constexpr std::size_t kFirstLeaf = 19 + 8 + 8 + 32;
  content[kFirstLeaf] = static_cast<char>(content[kFirstLeaf] ^ 1);
  write(file, content);
  CHECK(says(backup.refusal(), "is damaged at position 1:"));
}

}  // namespace pixledger::tests
