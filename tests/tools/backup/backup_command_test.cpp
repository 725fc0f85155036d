#include "stores/deliveries/delivery_repository.h"
#include "stores/sql/sqlite_database.h"
#include "tests/support/full_disk.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/one_gigabyte.h"
#include "tests/tools/backup/backup_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace fs = std::filesystem;

namespace {

std::size_t files_in(const std::filesystem::path& directory) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    count += entry.is_regular_file() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a backup is restored completely, in a new epoch, and is consistent") {
  const BackupWorld world;
  const auto backup = world.backup("b");
  CHECK(json_at(backup, "/incremental") == "false");
  CHECK(json_at(backup, "/firstPosition") == "1");
  CHECK(json_at(backup, "/lastPosition") == "7");
  CHECK(json_at(backup, "/newEvents") == "7");
  CHECK(json_at(backup, "/keys") == "false");
  CHECK(json_at(backup, "/rootHash") == json_at(world.pixledger.done({"verify", "--json"}), "/rootHash"));

  const auto restored = world.restore("r", {"b"});
  CHECK(std::stoull(json_at(restored, "/epoch")) > 1);
  CHECK(json_at(restored, "/ledgerId") == json_at(backup, "/ledgerId"));
  CHECK(json_at(restored, "/lastPosition") == "7");
  CHECK(json_at(restored, "/leftOutEvents") == "0");
  CHECK(json_at(restored, "/rootHash") == json_at(backup, "/rootHash"));
  CHECK(world.events_of("r") == world.events());
  CHECK(world.run_on("r", {"verify"}).code == 0);
}

TEST_CASE("the state of the banks' worker is in no backup, since it is made again from the ledger") {
  const BackupWorld world;
  const auto kept = fs::path("workers") / "providers" / "providers.db";
  fs::create_directories((world.pixledger.data() / kept).parent_path());
  std::ofstream(world.pixledger.data() / kept) << "whatever it is";
  world.backup("b");
  world.restore("r", {"b"});
  for (const auto* copy : {"b", "r"})
    for (const auto& entry : fs::recursive_directory_iterator(world.path(copy)))
      CHECK(entry.path().filename() != kept.filename());
}

TEST_CASE("a restored ledger is backed up and restored again, into an epoch after its own") {
  const BackupWorld world;
  world.backup("b", {"--with-keys"});
  const auto first = std::stoull(json_at(world.restore("r", {"b"}), "/epoch"));
  world.done_on("r", {"backup", world.path("b2").string()});
  CHECK(std::stoull(json_at(world.restore("r2", {"b2"}), "/epoch")) > first);
}

TEST_CASE("two restores of one backup are two ledgers, as their checkpoints show") {
  const BackupWorld world;
  world.backup("b", {"--with-keys"});
  const auto origin_of = [&](const std::string& data) {
    const auto epoch = json_at(world.restore(data, {"b"}), "/epoch");
    // Every program reads the reported epoch.
    CHECK(json_at(world.done_on(data, {"projections", "status", "--json"}), "/ledger/epoch") == epoch);
    const auto origin = lines_of(world.done_on(data, {"checkpoint"})).at(0);
    CHECK(says(origin, "/" + epoch));
    return origin;
  };
  CHECK(origin_of("r") != origin_of("r2"));
}

TEST_CASE("an empty ledger is backed up and restored") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const auto directory = (pixledger.directory() / "b").string();
  CHECK(json_at(pixledger.done({"backup", directory, "--json"}), "/lastPosition") == "0");
  std::filesystem::remove_all(pixledger.data());
  pixledger.done({"restore", directory});
  CHECK(json_at(pixledger.done({"verify", "--json"}), "/events") == "0");
}

TEST_CASE("a backup is continued with the new events") {
  const BackupWorld world;
  world.backup("b");
  world.add_paid_charge();
  const auto second = world.backup("b");
  CHECK(json_at(second, "/incremental") == "true");
  CHECK(json_at(second, "/firstPosition") == "1");
  CHECK(json_at(second, "/lastPosition") == "9");
  CHECK(json_at(second, "/newEvents") == "2");
  CHECK(json_at(world.backup("b"), "/newEvents") == "0");
  CHECK(says(world.pixledger.done({"backup", world.path("b").string()}), "which went up to position 9"));
  // The manifest, two files of events, the idempotency records; other files of earlier runs are removed.
  CHECK(files_in(world.path("b")) == 4);
  world.restore("r", {"b"});
  CHECK(world.events_of("r") == world.events());
}

TEST_CASE("pieces are restored together, in whatever order they are given") {
  const BackupWorld world;
  const auto next = json_at(world.backup("first"), "/nextPosition");
  world.add_paid_charge();
  const auto second = world.backup("second", {"--from-position", next});
  CHECK(json_at(second, "/firstPosition") == "8");
  CHECK(json_at(second, "/newEvents") == "2");
  world.add_paid_charge();
  world.backup("second");
  world.backup("nothing-new", {"--from-position", "12"});
  world.restore("r", {"nothing-new", "second", "first"});
  CHECK(world.events_of("r") == world.events());

  const auto alone = world.try_restore("alone", {"second"});
  CHECK(alone.code == 1);
  CHECK(says(alone.err, "wanted is one that begins with 1"));
  world.backup("gap", {"--from-position", "9"});
  const auto gap = world.try_restore("gap-restored", {"first", "gap"});
  CHECK(gap.code == 1);
  CHECK(says(gap.err, "begins with position 9, wanted is one that begins with 8"));
  CHECK_FALSE(std::filesystem::exists(world.path("gap-restored")));
}

TEST_CASE("a piece cannot begin beyond the ledger or within a backup that is there") {
  const BackupWorld world;
  CHECK(world.try_backup("b", {"--from-position", "9"}).code == 1);
  CHECK(world.try_backup("new/b", {"--from-position", "9"}).code == 1);
  CHECK_FALSE((std::filesystem::exists(world.path("b")) || std::filesystem::exists(world.path("new"))));
  world.backup("b");
  CHECK(world.try_backup("b", {"--from-position", "3"}).code == 1);
  CHECK(world.try_backup("b", {"--from-position", "0"}).code == 2);
  CHECK(world.try_backup("b", {"--rate", "-1"}).code == 2);
}

TEST_CASE("a directory that holds something else, or another ledger's backup, is left alone") {
  const BackupWorld world;
  std::filesystem::create_directory(world.path("holidays"));
  std::ofstream(world.path("holidays") / "photo.jpg") << "sea";
  const auto refused = world.try_backup("holidays");
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "photo.jpg"));

  const BackupWorld other;
  world.backup("b");
  const auto manifest = content_of(world.path("b") / "MANIFEST");
  const auto foreign = other.pixledger.run({"backup", world.path("b").string()});
  CHECK(foreign.code == 1);
  CHECK(says(foreign.err, "the backup is of ledger"));
  CHECK(content_of(world.path("b") / "MANIFEST") == manifest);
}

TEST_CASE("a backup is not continued by its own restore, even while both are the same") {
  const BackupWorld world;
  world.backup("b", {"--with-keys"});
  world.restore("r", {"b"});
  const auto before = content_of(world.path("b") / "MANIFEST");
  const auto refused = world.run_on("r", {"backup", world.path("b").string(), "--with-keys"});
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "the ledger's epoch 1,"));
  CHECK(says(refused.err, "Back this one up into another directory"));
  CHECK(content_of(world.path("b") / "MANIFEST") == before);
  world.backup("b", {"--with-keys"});
}

TEST_CASE("a backup is not continued by a ledger whose files were of an earlier state") {
  const BackupWorld world;
  fs::copy(world.pixledger.data(), world.path("copy"), fs::copy_options::recursive);
  world.add_paid_charge();
  world.backup("b");
  const auto behind = world.run_on("copy", {"backup", world.path("b").string()});
  CHECK(behind.code == 1);
  CHECK(says(behind.err, "where this ledger has not come to"));
  for (int i = 0; i < 2; ++i)
    world.done_on("copy", {"key", "issue", "--project", world.project, "--env", "live"});
  const auto other_way = world.run_on("copy", {"backup", world.path("b").string()});
  CHECK(other_way.code == 1);
  CHECK(says(other_way.err, "gone another way"));
}

TEST_CASE("a backup that has keys is not continued without them, and is not changed") {
  const BackupWorld world;
  world.backup("b", {"--with-keys"});
  const auto files = files_in(world.path("b"));
  const auto refused = world.try_backup("b");
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "holds the ledger's keys"));
  CHECK(says(refused.err, "say --with-keys"));
  CHECK(files_in(world.path("b")) == files);
  CHECK(json_at(world.backup("b", {"--with-keys"}), "/keys") == "true");

  CHECK(json_at(world.backup("plain"), "/keys") == "false");
  CHECK(json_at(world.backup("plain", {"--with-keys"}), "/keys") == "true");
}

TEST_CASE("a backup may not be inside its data directory, nor a restore inside its backup") {
  const BackupWorld world;
  fs::create_directory_symlink(world.pixledger.data(), world.path("link"));
  for (const char* inside : {"data", "data/b", "data/deep/er", "data/../data/b", "link/b"}) {
    INFO(inside);
    const auto refused = world.try_backup(inside);
    CHECK(refused.code == 1);
    CHECK(says(refused.err, "lies in the data directory"));
  }
  CHECK_FALSE(fs::exists(world.pixledger.data() / "b"));
  CHECK_FALSE(fs::exists(world.pixledger.data() / "deep"));
  world.backup("data-b");

  world.backup("b");
  const auto files = files_in(world.path("b"));
  fs::create_directory_symlink(world.path("b"), world.path("link-b"));
  for (const char* inside : {"b", "b/r", "b/state-7", "link-b/r"}) {
    INFO(inside);
    const auto refused = world.try_restore(inside, {"b"});
    CHECK(refused.code == 1);
    CHECK(says(refused.err, "lies in the backup"));
  }
  CHECK(files_in(world.path("b")) == files);
  world.restore("b-r", {"link-b"});
}

TEST_CASE("a worker's state for which there is no room is named") {
  const BackupWorld world;
  const auto directory = world.pixledger.data() / "workers" / "webhooks";
  fs::create_directories(directory);
  const auto file = directory / stores::kDeliveriesFile;
  stores::DeliveryRepository{file};
  // Larger than the ledger, so that no other file exceeds the limit.
  stores::open_sqlite(file, "rw")->run("CREATE TABLE filler AS SELECT zeroblob(16777216) AS bytes");
  constexpr rlim_t kLimit = 8 << 20;
  {
    const FullDisk full(kLimit);
    const auto refused = world.try_backup("b");
    CHECK(refused.code == 3);
    CHECK(says(refused.err, "a worker's state cannot be copied: cannot write "));
    CHECK(says(refused.err, "raise the limit"));
  }
  world.backup("b");
  const FullDisk full(kLimit);
  const auto refused = world.try_restore("r", {"b"});
  CHECK(refused.code == 3);
  CHECK(says(refused.err, "a worker's state cannot be restored: cannot write "));
  CHECK(says(refused.err, "raise the limit"));
}

TEST_CASE("a half-made backup cannot be restored, and the next run makes it whole") {
  const BackupWorld world;
  world.backup("b");
  std::filesystem::remove(world.path("b") / "MANIFEST");
  std::ofstream(world.path("b") / "events" / "00000000000000000001") << "half";
  const auto restored = world.try_restore("r", {"b"});
  CHECK(restored.code == 1);
  CHECK(says(restored.err, "no finished backup"));
  CHECK(json_at(world.backup("b"), "/incremental") == "false");
  world.restore("r", {"b"});
  CHECK(world.events_of("r") == world.events());
}

TEST_CASE("a backup at a rate takes the time that it must") {
  const BackupWorld world;
  const auto started = std::chrono::steady_clock::now();
  world.backup("b", {"--rate", "0.02"});
  // Some 4 kB.
  CHECK(std::chrono::steady_clock::now() - started > std::chrono::milliseconds(100));
}

TEST_CASE("a damaged ledger is not backed up") {
  const BackupWorld world;
  change_closed_value(world.pixledger.data() / "ledger", one_gigabyte(), "events", big_endian(5),
                      [](std::string& event) { event[50] = static_cast<char>(event[50] ^ 1); });
  const auto result = world.try_backup("b");
  CHECK(result.code == 1);
  CHECK(says(result.err, "the ledger is damaged"));
  CHECK_FALSE(std::filesystem::exists(world.path("b") / "MANIFEST"));
}

TEST_CASE("a new master key opens the keyring, and the old one no longer does") {
  const BackupWorld world;
  const auto keys = world.pixledger.data() / "keys";
  const auto old_master = content_of(keys / "master.key");
  CHECK(json_at(world.pixledger.done({"secrets", "rotate", "--json"}), "/rotated") == "true");
  const auto new_master = content_of(keys / "master.key");
  CHECK(new_master != old_master);
  CHECK(says(world.pixledger.done({"secrets", "rotate"}), "old master key no longer opens"));
  world.pixledger.done({"checkpoint"});

  std::ofstream(keys / "master.key", std::ios::trunc) << old_master;
  const auto refused = world.pixledger.run({"checkpoint"});
  CHECK(refused.code == 3);
  CHECK(says(refused.err, "is not the one it belongs to"));
}
