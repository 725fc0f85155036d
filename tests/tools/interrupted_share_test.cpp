#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/support/one_gigabyte.h"
#include "tests/tools/audit/verify_fixture.h"
#include "tests/tools/on_the_way.h"

// Moving a ledger into a database, where the process that moves it is killed.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

// Commands, services and `up` refuse to open it, also as its future node.
void check_nobody_opens(const PixledgerCommand& pixledger, const SharedDatabase& database) {
  const std::vector<std::vector<std::string>> commands{
      {"project", "list"},
      {"verify"},
      {"up", "--listen", "127.0.0.1:0"},
      {"project", "list", "--ledger", database.uri().text, "--node", "n7"}};
  for (const auto& command : commands) {
    const auto refused = pixledger.run(command);
    INFO(refused.err);
    CHECK(refused.code == 3);
    CHECK(tells(refused.err, "run: pixledger migrate --data " + pixledger.data().string()));
    CHECK(tells(refused.err, "--abandon"));
  }
  for (const std::string program : {"pixledger-server", "pixledger-webhooks", "pixledger-expiry"}) {
    const auto refused = run_process(built_program(program), pixledger.arguments({}));
    INFO(program << ": " << refused.err);
    CHECK(refused.code == 3);
    CHECK(tells(refused.err, "run: pixledger migrate"));
  }
  CHECK(tells(pixledger.run({"doctor"}).out, "--abandon"));
  CHECK(format_of(pixledger) % 2 == 0);  // of a copy
}

void check_is_node(const PixledgerCommand& pixledger) {
  CHECK(fs::exists(pixledger.data() / "node"));
  CHECK_FALSE(fs::exists(pixledger.data() / "sharing"));
  pixledger.done({"project", "list"});
  pixledger.done({"verify"});
}

// Whether a process waits for its turn to move a ledger into the database.
bool waits_for_its_turn(const SharedDatabase& database) {
  return !database
              .run(
                  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = "
                  "'idle in transaction' AND starts_with(query, 'SELECT pg_try_advisory_xact_lock(')")
              .empty();
}

// The progress of a migration, observed from outside.
struct Stage {
  const char* name;
  std::function<bool(const fs::path& data, const SharedDatabase& database)> is_reached;
};

const std::vector<Stage>& stages_of_migration() {
  const auto file = [](const char* name) {
    return [name](const fs::path& data, const SharedDatabase&) { return fs::exists(data / name); };
  };
  static const std::vector<Stage> stages{
      {"it has begun", [](const fs::path&, const SharedDatabase&) { return true; }},
      {"it is noted that the ledger is on its way", file("sharing")},
      {"it asks the database",
       [](const fs::path&, const SharedDatabase& database) {
         return database.run("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").size() >
                1;
       }},
      {"the ledger is in the database",
       [](const fs::path&, const SharedDatabase& database) { return is_published(database); }},
      {"the copy can be trusted", file("ledger.boot")},
      {"the directory is a node", file("node")}};
  return stages;
}

// Finishes it, or gives it up.
void check_both_ends(const PixledgerCommand& pixledger, const SharedDatabase& database, Stop& stop) {
  check_nobody_opens(pixledger, database);
  SECTION("the same again finishes it") {
    stop.end();
    pixledger.done(words({"migrate"}, database));
    check_is_node(pixledger);
  }
  SECTION("it is given up once it is certain that it came to nothing, and may be begun again") {
    const auto abandoning = start(pixledger, words({"migrate", "--abandon"}, database));
    wait_until([&] { return waits_for_its_turn(database); });
    CHECK_FALSE(abandoning->wait(std::chrono::milliseconds(0)));
    stop.end();
    REQUIRE(abandoning->wait() == 0);
    CHECK_FALSE(is_published(database));
    check_is_alone(pixledger);
    CHECK(pixledger.run(words({"migrate", "--abandon"}, database)).code == 1);
    pixledger.done(words({"migrate"}, database));
    check_is_node(pixledger);
  }
}

}  // namespace

TEST_CASE("a migration that is killed before its commit is finished by the same command, or given up") {
  const SharedDatabase database;
  const VerifyFixture world;
  Stop stop(database);
  kill_in_the_middle(world.pixledger, words({"migrate"}, database), stop);
  check_both_ends(world.pixledger, database, stop);
}

TEST_CASE("init that is killed on its way into a database leaves no ledger of one machine") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  Stop stop(database);
  kill_in_the_middle(pixledger, words({"init"}, database), stop);
  const auto again = pixledger.run(words({"init"}, database));
  CHECK(again.code == 3);
  CHECK(tells(again.err, "run: pixledger migrate"));
  check_both_ends(pixledger, database, stop);
}

TEST_CASE("restore that is killed on its way into a database leaves no ledger of one machine") {
  const SharedDatabase database;
  const VerifyFixture world;
  const auto backup = (world.pixledger.directory() / "backup").string();
  world.pixledger.done({"backup", backup, "--with-keys"});
  const PixledgerCommand restored;
  Stop stop(database);
  kill_in_the_middle(restored, words({"restore", backup}, database), stop);
  const auto again = restored.run(words({"restore", backup}, database));
  CHECK(again.code == 3);
  CHECK(tells(again.err, "run: pixledger migrate"));
  check_both_ends(restored, database, stop);
}

TEST_CASE("a migration that is killed behind its commit is finished by the same command alone") {
  const SharedDatabase database;
  const SharedDatabase other;
  const VerifyFixture world;
  const auto& pixledger = world.pixledger;
  {
    Stop stop(database);
    const auto process = start(pixledger, words({"migrate"}, database));
    stop.wait_for_somebody();
    const eventstore::LmdbEnvironment environment(pixledger.data() / "ledger", one_gigabyte());
    const eventstore::LmdbWrite keeps_it_from_writing_here(environment);
    stop.end();
    wait_until([&] { return is_published(database); });
    kill(*process);
  }
  check_nobody_opens(pixledger, database);
  const auto abandoned = pixledger.run(words({"migrate", "--abandon"}, database));
  CHECK(abandoned.code == 3);
  CHECK(tells(abandoned.err, "without --abandon"));
  const auto elsewhere = pixledger.run(words({"migrate"}, other));
  CHECK(elsewhere.code == 3);
  CHECK(tells(elsewhere.err, "on its way into the database of " + database.uri().text));
  SECTION("as it is") {}
  SECTION("where another node has written since") {
    const PixledgerCommand second;
    fs::create_directory(second.data());
    fs::copy(pixledger.data() / "keys", second.data() / "keys");
    second.done({"project", "list", "--ledger", database.uri().text, "--node", "n2"});
    second.create_project("Outra");
  }
  const auto told = pixledger.done({"migrate", "--json", "--ledger-owner", database.owner().text});
  CHECK(json_at(told, "/rootHash") == json_at(told, "/rootHashThere"));
  CHECK(json_at(told, "/lastPosition") == "7");
  check_is_node(pixledger);
}

TEST_CASE("a migration that is killed at any stage leaves one ledger") {
  for (const auto& stage : stages_of_migration()) {
    INFO("killed once " << stage.name);
    const SharedDatabase database;
    const PixledgerCommand pixledger;
    pixledger.create_project();
    {
      const auto process = start(pixledger, words({"migrate"}, database));
      while (!process->wait(std::chrono::milliseconds(0)) && !stage.is_reached(pixledger.data(), database)) {
      }
      process->send(SIGKILL);
      process->wait();
    }
    const auto opened = pixledger.run({"project", "list"});
    if (opened.code == 0 && !fs::exists(pixledger.data() / "node")) CHECK_FALSE(is_published(database));
    if (opened.code != 0) CHECK(tells(opened.err, "run: pixledger migrate"));
    const auto again = pixledger.run(words({"migrate"}, database));
    INFO(again.err);
    CHECK((again.code == 0 || tells(again.err, "is a node of a shared ledger already")));
    check_is_node(pixledger);
    CHECK(database.run("SELECT ledger_id FROM pixledger.ledger").size() == 1);
  }
}

TEST_CASE("a migration that is killed at its very end is finished, with the remaining files of workers") {
  const SharedDatabase database;
  const VerifyFixture world;
  const auto& data = world.pixledger.data();
  world.pixledger.done(words({"migrate"}, database));
  fs::copy_file(data / "node", data / "sharing");
  const auto left = data / "accounts" / "accounts.db";
  fs::create_directories(left.parent_path());
  std::ofstream(left) << "who may sign in";
  check_nobody_opens(world.pixledger, database);
  world.pixledger.done(words({"migrate"}, database));
  CHECK_FALSE(fs::exists(left));
  check_is_node(world.pixledger);
}
