#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/crash/api_client.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/paths.h"
#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

std::uint32_t seed_of_this_run() {
  const char* given = std::getenv("PIXLEDGER_SEED");
  return given ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device()();
}

// A data directory, its backup, and the restored directory.
struct BackupRun {
  TemporaryDirectory directory;
  LiveData data = LiveData::create(directory.path() / "data");
  LiveData restored{directory.path() / "restored", data.map_size, data.project_id, data.test_key};
  std::filesystem::path backup = directory.path() / "backup";

  std::vector<std::string> backup_arguments() const {
    return {"--data", data.root.string(), "--map-size", data.map_size,
            "backup", backup.string(),    "--with-keys"};
  }
  std::vector<std::string> restore_arguments() const {
    return {"--data", restored.root.string(), "--map-size", data.map_size, "restore", backup.string()};
  }
  static int run(const std::vector<std::string>& arguments) {
    return run_process(pixledger::tests::program_file("pixledger"), arguments).code;
  }

  void add_event() const {
    REQUIRE(run({"--data", data.root.string(), "--map-size", data.map_size, "key", "issue", "--project",
                 data.project_id, "--env", "test"}) == 0);
  }

  // Adds some hundred charges by a server, which is then stopped.
  void fill() const {
    ServerProcess server(data);
    server.wait_until_ready();
    Load load(server.port(), data.test_key, {"fill"});
    load.wait_for_acknowledged(400);
    load.finish();
    REQUIRE(server.stop() == 0);
  }

  void kill_at_random(const std::vector<std::string>& arguments, std::mt19937& random) const {
    // A run takes about this long.
    constexpr std::uint32_t kSpreadUs = 80'000;
    Process process(pixledger::tests::program_file("pixledger"), arguments);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % kSpreadUs));
    process.send(SIGKILL);
    process.wait();
  }
};

}  // namespace

TEST_CASE("a backup under load holds what was acknowledged before it, and life goes on in what it restores") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  const BackupRun run;
  ServerProcess server(run.data);
  server.wait_until_ready();
  Load before(server.port(), run.data.test_key, {"before", 8, seed});
  REQUIRE(before.wait_for_acknowledged(300));
  auto charges = before.finish();

  Load meanwhile(server.port(), run.data.test_key, {"meanwhile", 8, seed + 1});
  for (std::size_t round = 1; round <= 3; ++round) {
    REQUIRE(meanwhile.wait_for_acknowledged(100 * round));
    REQUIRE(BackupRun::run(run.backup_arguments()) == 0);
    CHECK(BackupRun::run(
              {"--data", run.data.root.string(), "--map-size", run.data.map_size, "secrets", "rotate"}) == 0);
  }
  REQUIRE(meanwhile.wait_for_acknowledged(meanwhile.acknowledged() + 50));
  for (const auto& charge : meanwhile.finish()) {
    // After a rotation of the master key the server goes on as before.
    CHECK((charge.status == 201 || charge.status == 0));
  }
  REQUIRE(server.stop() == 0);

  REQUIRE(BackupRun::run(run.restore_arguments()) == 0);
  CHECK(run.restored.verify() == 0);
  LedgerAudit audit;
  {
    const eventstore::LmdbLog log(run.restored.ledger(), run.restored.lmdb());
    audit.read(log);
  }
  audit.compare(charges);
  audit.print();
  CHECK(audit.is_clean());

  ServerProcess restored(run.restored);
  restored.wait_until_ready();
  CHECK(count_wrong_answers(restored.port(), run.data.test_key, charges) == 0);
  ApiClient client(restored.port(), run.data.test_key);
  CHECK(ask_again(client, charges));
  Load after(restored.port(), run.data.test_key, {"after", 4, seed + 2});
  CHECK(after.wait_for_acknowledged(50));
  const auto asked_after = after.finish();
  CHECK(count_wrong_answers(restored.port(), run.data.test_key, asked_after) == 0);
  CHECK(restored.stop() == 0);
  CHECK(run.restored.verify() == 0);
}

TEST_CASE("a killed backup run leaves the earlier backup or none, and the next run makes it whole") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  std::mt19937 random(seed);
  const BackupRun run;
  run.fill();
  for (int round = 0; round < 12; ++round) {
    run.kill_at_random(run.backup_arguments(), random);
    const bool is_backup = std::filesystem::exists(run.backup / "MANIFEST");
    REQUIRE(BackupRun::run(run.restore_arguments()) == (is_backup ? 0 : 1));
    if (is_backup) std::filesystem::remove_all(run.restored.root);
    // Sometimes the next run starts from nothing, sometimes it is incremental.
    if (is_backup && random() % 2 == 0) std::filesystem::remove(run.backup / "MANIFEST");
    if (random() % 2 == 0) run.add_event();
  }
  REQUIRE(BackupRun::run(run.backup_arguments()) == 0);
  REQUIRE(BackupRun::run(run.restore_arguments()) == 0);
  CHECK(run.restored.verify() == 0);
}

TEST_CASE("a killed restore leaves a whole data directory, or none") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  std::mt19937 random(seed);
  const BackupRun run;
  run.fill();
  REQUIRE(BackupRun::run(run.backup_arguments()) == 0);
  for (int round = 0; round < 12; ++round) {
    run.kill_at_random(run.restore_arguments(), random);
    const bool is_there = std::filesystem::exists(run.restored.ledger());
    REQUIRE(BackupRun::run(run.restore_arguments()) == (is_there ? 1 : 0));
    REQUIRE(run.restored.verify() == 0);
    std::filesystem::remove_all(run.restored.root);
  }
}
