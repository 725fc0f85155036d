#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/own_cluster.h"
#include "tests/support/shared_ledger.h"
#include "tests/tools/audit/verify_fixture.h"

// Commands on a shared ledger.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> words(std::vector<std::string> command, const SharedDatabase& database) {
  for (const auto& word :
       {std::string("--ledger"), database.uri().text, std::string("--ledger-owner"), database.owner().text})
    command.push_back(word);
  return command;
}

}  // namespace

TEST_CASE("an empty --ledger or --node is no absent one") {
  const PixledgerCommand pixledger;
  for (const std::string option : {"--ledger", "--node"}) {
    const auto refused = pixledger.run({"init", option, ""});
    CHECK(refused.code == 2);
    CHECK(has(refused.err, option + ": must be "));
    CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  }
}

TEST_CASE("a value that libpq would refuse when it connects is a mistake of the command line") {
  const PixledgerCommand pixledger;
  for (const std::string end : {":70000/ledger", "/ledger?target_session_attrs=read_write"})
    CHECK(pixledger.run({"init", "--ledger", "postgresql://pix@127.0.0.1" + end}).code == 2);
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
}

TEST_CASE("doctor finds nothing wrong right after a ledger has gone to several machines") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.create_project();
  pixledger.done(words({"migrate"}, database));
  const auto told = pixledger.run({"doctor"});
  INFO(told.out);
  CHECK(told.code == 0);
  CHECK_FALSE(has(told.out, "problem  "));
  CHECK(has(told.out, "node first: "));
}

TEST_CASE("PostgreSQL on another machine is not used without verified TLS, unless an option allows it") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  const std::string elsewhere = "postgresql://pix@192.0.2.1:1,127.0.0.1:1/ledger?connect_timeout=1";
  const auto check_refused = [&](const std::vector<std::string>& command, const std::string& option) {
    const auto refused = pixledger.run(command);
    INFO(refused.err);
    CHECK(refused.code == 2);
    CHECK(has(refused.err, option + " needs sslmode=verify-full"));
    CHECK(has(refused.err, "192.0.2.1 is not on this machine"));
    CHECK(has(refused.err, "--allow-plain-postgres"));
  };
  check_refused({"init", "--ledger", elsewhere, "--ledger-owner", database.owner().text}, "--ledger");
  check_refused({"init", "--ledger", database.uri().text, "--ledger-owner", elsewhere}, "--ledger-owner");
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  pixledger.done(words({"init"}, database));
  check_refused({"project", "list", "--ledger", elsewhere, "--node", "n2"}, "--ledger");
  // A remembered URI is checked as well, by all programs; an earlier release may have remembered it.
  const auto node = pixledger.data() / "node";
  std::ofstream(node) << elsewhere << "\nn1\n";
  check_refused({"project", "list"}, "the ledger that " + node.string() + " names");
  for (const std::string program : {"pixledger-server", "pixledger-expiry"})
    CHECK(run_process(built_program(program), pixledger.arguments({})).code == 2);
  const auto told = pixledger.run({"doctor"});
  CHECK(told.code == 1);
  CHECK(has(told.out, "problem  TLS to PostgreSQL: none that is verified to 192.0.2.1"));
  // With the option it goes on: no server answers there.
  const auto allowed = pixledger.run({"doctor", "--allow-plain-postgres"});
  CHECK(has(allowed.out, "warning  TLS to PostgreSQL"));
  CHECK(pixledger.run({"project", "list", "--allow-plain-postgres"}).code != 2);
}

TEST_CASE("a ledger whose servers' role would own it is not made, nor migrated, nor restored") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  const auto check_refused = [&](std::vector<std::string> command) {
    for (const auto& role : {database.uri().text, database.owner().text}) {
      auto alone = command;
      alone.insert(alone.end(), {"--ledger", role});
      auto twice = alone;
      twice.insert(twice.end(), {"--ledger-owner", role});
      for (const auto& words : {alone, twice}) {
        const auto refused = pixledger.run(words);
        CHECK(refused.code == 2);
        CHECK(has(refused.err, "--ledger must name the servers' role"));
        CHECK(has(refused.err, "and --ledger-owner another one"));
      }
    }
  };
  check_refused({"init"});
  check_refused({"restore", "backup"});
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  pixledger.done({"init"});
  check_refused({"migrate"});
  CHECK(database.run("SELECT to_regclass('pixledger.ledger')").at(0).at(0).is_null());
  CHECK_FALSE(std::filesystem::exists(pixledger.data() / "node"));
}

TEST_CASE("init as a role without the right leaves nothing, and says which option names one that has it") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  // Somebody else's.
  const auto refused =
      pixledger.run({"init", "--ledger", database.owner().text, "--ledger-owner", database.uri().text});
  CHECK(refused.code == 3);
  CHECK(has(refused.err, "--ledger-owner"));
  CHECK_FALSE(has(refused.err, "migrate"));
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  pixledger.done(words({"init"}, database));
}

TEST_CASE("init that fails midway removes its own files") {
  const SharedDatabase database;
  // A table's name is taken, after the other tables are made.
  database.run(
      "CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
      "RAISE EXCEPTION 'not today'; END $$; "
      "CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION "
      "public.refuse()");
  const PixledgerCommand pixledger;
  const auto refused = pixledger.run(words({"init"}, database));
  CHECK(refused.code == 3);
  CHECK(has(refused.err, "not today"));
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  std::filesystem::create_directory(pixledger.data());
  CHECK(pixledger.run(words({"init"}, database)).code == 3);
  CHECK(std::filesystem::is_empty(pixledger.data()));
}

TEST_CASE("keys alone are said to be for a shared ledger, or to be left of one that was lost") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  std::filesystem::remove_all(pixledger.data() / "ledger");
  const auto refused = pixledger.run({"verify"});
  CHECK(refused.code == 3);
  CHECK(has(refused.err, "--ledger and --node"));
  CHECK(has(refused.err, "Mount or move it back"));
}

TEST_CASE(
    "the first node is called what its programs call it, and customers are erased without asking for "
    "another") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  const auto named = [&](const std::string& name) {
    return pixledger.run({"--ledger", database.uri().text, "--node", name, "project", "list"});
  };
  CHECK(named("n1").code == 0);
  const auto rows = database.run("SELECT name FROM pixledger.node");
  REQUIRE(rows.size() == 1);
  CHECK(rows.at(0).at(0).as<std::string>() == "n1");
  // A misspelt or refused URI is not remembered.
  CHECK(pixledger.run({"--node", "n2", "frobnicate"}).code == 2);
  CHECK(pixledger.run({"--node", "n2", "charge", "confirm"}).code == 2);
  const SharedDatabase empty;
  CHECK(pixledger.run({"--ledger", empty.uri().text, "project", "list"}).code == 3);
  pixledger.done({"project", "list"});
  CHECK(database.run("SELECT name FROM pixledger.node").at(0).at(0).as<std::string>() == "n1");
}

TEST_CASE("of a node's damaged copy verify says to fetch another, and restores no shared ledger for it") {
  const SharedDatabase database;
  const VerifyFixture world;
  world.pixledger.done(words({"migrate"}, database));
  CHECK(world.first_bad_position() == "0");
  world.flip_byte("events", big_endian(5), 40);
  const auto told = world.pixledger.run({"verify"});
  CHECK(told.code == 1);
  CHECK(has(told.out, "The first bad position is 5"));
  const auto copy = (world.pixledger.data() / "ledger").string();
  CHECK(has(told.out, "remove " + copy + " and start them"));
  CHECK_FALSE(has(told.out, "Leave it as it is"));
  std::filesystem::remove_all(copy);
  CHECK(world.first_bad_position() == "0");
}

TEST_CASE("doctor names a role that may do more than a node needs") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  const auto advice = "let --ledger name the servers' role";
  CHECK_FALSE(has(pixledger.run({"doctor"}).out, advice));
  const auto told = pixledger.run({"doctor", "--ledger", database.owner().text});
  CHECK(told.code == 1);
  CHECK(has(told.out, "the role postgres may change and delete what is recorded (batch and event)"));
  CHECK(has(told.out, advice));
}

TEST_CASE(
    "a copy with commits that PostgreSQL has lost is kept beside the next one, and three of them at most") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  pixledger.create_project("Acme");
  const auto kept = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(pixledger.data()))
      if (entry.path().filename().string().starts_with("ledger.kept-")) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto create = [&](const std::string& name) {
    pixledger.done({"project", "create", "--name", name, "--on-lost-commits", "continue", "--json"});
  };
  for (std::size_t i = 1; i <= 3; ++i) {
    create("Loja " + std::to_string(i));
    database.lose_newest_commit();
    const auto ended = pixledger.run({"project", "list"});
    CHECK(ended.code == 3);
    CHECK(has(ended.err, "PostgreSQL may have lost what was acknowledged"));
    CHECK_FALSE(has(pixledger.done({"project", "list"}), "Loja " + std::to_string(i)));
    REQUIRE(kept().size() == i);
  }
  CHECK(has(pixledger.run({"doctor"}).out, kept().back().filename().string()));
  // It can be read and backed up as in the handbook.
  const auto apart = pixledger.directory() / "apart";
  std::filesystem::create_directory(apart);
  std::filesystem::copy(pixledger.data() / "keys", apart / "keys", std::filesystem::copy_options::recursive);
  std::filesystem::copy(pixledger.data() / "node", apart / "node");
  std::filesystem::rename(kept().front(), apart / "ledger");
  const auto backup = (pixledger.directory() / "backup").string();
  const auto look = (pixledger.directory() / "look").string();
  // Also if a configuration names the machine's node.
  const auto name = database.run("SELECT name FROM pixledger.node").at(0).at(0).as<std::string>();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"backup", backup, "--data", apart.string(), "--copy-alone", "--ledger",
                                 database.uri().text, "--node", name},
        {"restore", backup, "--data", look, "--keys", (apart / "keys").string()},
        {"verify", "--data", look}}) {
    const auto ended = run_process(built_program("pixledger"), command);
    INFO(command.front() << ": " << ended.err);
    CHECK(ended.code == 0);
  }
  // Two are left; the next one is the third, and then there is no room.
  for (const bool has_room : {true, false}) {
    create("Mais uma");
    database.lose_newest_commit();
    CHECK(pixledger.run({"project", "list"}).code == 3);
    const auto again = pixledger.run({"project", "list"});
    CHECK(again.code == (has_room ? 0 : 3));
    if (!has_room) CHECK(has(again.err, "take those elsewhere first"));
  }
}

TEST_CASE("doctor names the settings to turn on if PostgreSQL could lose commits") {
  const OwnCluster cluster;
  const SharedDatabase database(cluster.primary());
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  const auto turn = [&](const std::string& setting, const std::string& value) {
    database.run("ALTER SYSTEM SET " + setting + " = " + value);
    database.run("SELECT pg_reload_conf()");
    REQUIRE(
        eventually([&] { return database.run("SHOW " + setting).at(0).at(0).as<std::string>() == value; }));
  };
  for (const std::string setting : {"fsync", "full_page_writes"}) {
    turn(setting, "off");
    const auto told = pixledger.run({"doctor"});
    CHECK(told.code == 1);
    CHECK(has(told.out, "PostgreSQL has " + setting + " off"));
    CHECK(has(told.out, "turn " + setting + " on"));
    CHECK_FALSE(has(told.out, "patronictl list"));
    turn(setting, "on");
  }
}

TEST_CASE("rotating a node's master key warns about the other nodes' keys") {
  const SharedDatabase database;
  const PixledgerCommand node;
  node.done(words({"init"}, database));
  const std::string others = "The other nodes have keys/ of their own";
  CHECK(has(node.done({"secrets", "rotate"}), others));
  node.done({"project", "list"});
  const PixledgerCommand machine;
  machine.done({"init"});
  CHECK_FALSE(has(machine.done({"secrets", "rotate"}), others));
}

TEST_CASE("a head that is not the newest commit's is the database's damage: no copy is given up for it") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  pixledger.create_project();
  database.run("UPDATE pixledger.head SET root = set_byte(root, 0, get_byte(root, 0) # 1)");
  const auto refused = pixledger.run(
      {"project", "create", "--name", "Outra", "--pix-key", "a@example.com", "--merchant-city", "RECIFE"});
  CHECK(refused.code == 3);
  CHECK(has(refused.err, "the database " + database.uri().database + " is damaged"));
  CHECK_FALSE(std::filesystem::exists(pixledger.data() / "ledger.astray"));
}
