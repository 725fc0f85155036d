#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/own_cluster.h"
#include "tests/tools/audit/verify_fixture.h"
#include "tests/tools/on_the_way.h"

// Ledgers that cannot be moved into a database.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

// The same role and database on another host.
eventstore::LedgerUri moved(const eventstore::LedgerUri& uri, const eventstore::LedgerUri& there) {
  const auto hosts = [](const std::string& text) {
    const auto begin = text.find('@');
    return text.substr(begin, text.rfind('/') - begin);
  };
  auto text = uri.text;
  text.replace(text.find('@'), hosts(uri.text).size(), hosts(there.text));
  return eventstore::LedgerUri::parse(text).value();
}

void run_in(const eventstore::LedgerUri& uri, const std::string& statement) {
  DeadlineWatch watch;
  eventstore::PgClient(uri, eventstore::PgTimeouts{}, watch).run(statement);
}

}  // namespace

TEST_CASE("a migration that is refused leaves the directory as it was") {
  const SharedDatabase database;
  const PixledgerCommand first;
  first.done(words({"init"}, database));
  const VerifyFixture world;
  const auto refused = world.pixledger.run(words({"migrate"}, database));
  CHECK(refused.code == 3);
  CHECK(tells(refused.err, "has a ledger already"));
  check_is_alone(world.pixledger);
}

TEST_CASE("a migration whose files may not become larger names file and limit, and changes nothing") {
  const SharedDatabase database;
  const VerifyFixture world;
  // The mark does not fit, not even a part of it; it fits and the ledger's pages do not.
  for (const std::string limit : {"0", "16", "4096"}) {
    INFO(limit);
    std::vector<std::string> limited{"--fsize=" + limit + ":", "--", built_program("pixledger").string()};
    const auto command = world.pixledger.arguments(words({"migrate"}, database));
    limited.insert(limited.end(), command.begin(), command.end());
    const auto refused = run_process("/usr/bin/prlimit", limited);
    INFO(refused.err);
    CHECK(refused.code == 3);
    CHECK(tells(refused.err, "(ulimit -f) of " + limit + " bytes: raise the limit"));
    CHECK(tells(refused.err, world.pixledger.data().string()));
    CHECK_FALSE(is_published(database));
    check_is_alone(world.pixledger);
  }
  world.pixledger.done(words({"migrate"}, database));
  world.pixledger.done({"verify"});
}

TEST_CASE("events written here after the ledger moved into a database are reported as only here") {
  const SharedDatabase database;
  const VerifyFixture world;
  const auto& data = world.pixledger.data();
  const auto before = world.pixledger.directory() / "before";
  fs::copy(data, before, fs::copy_options::recursive);
  world.pixledger.done(words({"migrate"}, database));
  fs::remove_all(data);
  fs::rename(before, data);
  world.pixledger.create_project("Outra");
  const auto refused = world.pixledger.run(words({"migrate"}, database));
  CHECK(refused.code == 3);
  CHECK(tells(refused.err, "is in this directory alone"));
  CHECK(tells(refused.err, "keep keys/"));
}

TEST_CASE("a node's copy is no ledger to be brought into another database") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done(words({"init"}, database));
  fs::remove(pixledger.data() / "node");
  const SharedDatabase other;
  const auto refused = pixledger.run(words({"migrate"}, other));
  CHECK(refused.code == 3);
  CHECK(tells(refused.err, "has a copy of a shared ledger"));
  CHECK_FALSE(is_published(other));
  CHECK_FALSE(fs::exists(pixledger.data() / "sharing"));
}

TEST_CASE("a begun migration is left to be finished while PostgreSQL is away") {
  const SharedDatabase database;
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  std::ofstream(pixledger.data() / "sharing") << "postgresql://pixledger@127.0.0.1:1/ledger\nfirst\n";
  const auto refused = pixledger.run({"migrate"});
  CHECK(refused.code == 3);
  CHECK(tells(refused.err, "cannot be reached"));
  CHECK(tells(refused.err, "on its way"));
  CHECK(fs::exists(pixledger.data() / "sharing"));
  CHECK(pixledger.run({"verify"}).code == 3);
}

TEST_CASE("an unreadable sharing mark is named by every command, and the ledger is not opened") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  std::ofstream(pixledger.data() / "sharing") << "nothing\n";
  const auto seen = pixledger.run({"doctor"});
  INFO(seen.err);
  CHECK(seen.code == 1);
  for (const auto& told : {seen.out, pixledger.run({"project", "list"}).err}) {
    CHECK(tells(told, "does not say into which database"));
    CHECK(tells(told, "write the file anew"));
  }
}

TEST_CASE("that the database does not have a ledger counts once a standby confirms it") {
  const OwnCluster cluster;
  const SharedDatabase database(cluster.primary());
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  {
    Stop stop(database);
    kill_in_the_middle(pixledger, words({"migrate"}, database), stop);
  }
  cluster.stop_standby();
  const auto refused = pixledger.run({"migrate", "--abandon", "--ledger-owner", database.owner().text});
  INFO(refused.err);
  CHECK(refused.code == 3);
  CHECK(tells(refused.err, "no standby confirms"));
  CHECK(fs::exists(pixledger.data() / "sharing"));
}

TEST_CASE("of two processes that make a ledger in one database one is refused") {
  const SharedDatabase database;
  const PixledgerCommand one;
  const PixledgerCommand two;
  Stop stop(database);
  const auto first = start(one, words({"init"}, database));
  stop.wait_for_somebody();
  const auto second = start(two, words({"init"}, database));
  // Until it has made its directory it may still check whether there is a ledger.
  wait_until([&] { return fs::exists(two.data() / "ledger" / "data.mdb"); });
  CHECK_FALSE(second->wait(std::chrono::milliseconds(300)));
  stop.end();
  CHECK(first->wait() == 0);
  const auto code = second->wait();
  INFO(second->err());
  CHECK(code == 3);
  CHECK(tells(second->err(), "the database has a ledger already"));
  CHECK_FALSE(fs::exists(two.data()));
  one.done({"verify"});
}

TEST_CASE("a ledger does not go where the servers' role would not find it") {
  const SharedDatabase database;
  const OwnCluster other;
  const auto servers = moved(database.uri(), other.primary());
  run_in(other.primary(), "CREATE ROLE " + servers.user + " LOGIN");
  run_in(other.primary(), "CREATE DATABASE " + servers.database);
  const std::vector<std::string> into{"--ledger", servers.text, "--ledger-owner", database.owner().text};
  const auto with = [&](std::vector<std::string> command) {
    command.insert(command.end(), into.begin(), into.end());
    return command;
  };
  const PixledgerCommand pixledger;
  const auto check_refused = [&](const std::vector<std::string>& command) {
    const auto refused = pixledger.run(with(command));
    INFO(refused.err);
    CHECK(refused.code == 3);
    CHECK(tells(refused.err, "comes to another database " + servers.database));
    CHECK_FALSE(is_published(database));
  };
  check_refused({"init"});
  CHECK_FALSE(fs::exists(pixledger.data()));
  pixledger.done({"init"});
  check_refused({"migrate"});
  check_is_alone(pixledger);

  // Another database does not prove either that the first one has no ledger.
  Stop stop(database);
  kill_in_the_middle(pixledger, words({"migrate"}, database), stop);
  const auto abandoned = pixledger.run(
      {"migrate", "--abandon", "--ledger-owner", moved(database.owner(), other.primary()).text});
  CHECK(abandoned.code == 3);
  CHECK(tells(abandoned.err, "comes to another database"));
  CHECK(fs::exists(pixledger.data() / "sharing"));
}
