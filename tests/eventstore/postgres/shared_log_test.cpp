#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/pg_client.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/eventstore/postgres/node_program.h"

// Several nodes of one ledger.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

struct Nodes {
  Nodes() {
    first.make(database);
    first.open();
    second.open();
  }

  SharedDatabase database;
  SharedNodeDirectory first{database, "n1"};
  SharedNodeDirectory second{database, "n2"};
};

}  // namespace

TEST_CASE("one node's writes are read at another at once, and both have the same log") {
  Nodes nodes;
  Program one(nodes.first.log());
  Program other(nodes.second.log());
  for (int i = 0; i < 20; ++i) {
    auto& writes = i % 2 == 0 ? one : other;
    auto& reads = i % 2 == 0 ? other : one;
    const auto position = writes.done("project " + std::to_string(i), "key " + std::to_string(i)).position;
    REQUIRE(reads.log.catch_up().position >= position);
    CHECK(reads.log.leaf_hash(position) == writes.log.leaf_hash(position));
  }
  one.log.catch_up();
  other.log.catch_up();
  CHECK(content_of(one.log) == content_of(other.log));
  // A node repeats the answer to a request that another node executed, too.
  const auto repeated = one.done("project 1", "key 1");
  CHECK(repeated.replayed);
}

TEST_CASE("a repeat at another node finds the events that its own turn has just fetched") {
  Nodes nodes;
  Program one(nodes.first.log());
  Program other(nodes.second.log());
  // At once, so that the second node usually has not followed yet.
  for (int i = 0; i < 50; ++i) {
    const auto name = "project " + std::to_string(i);
    const auto first = one.done(name, "key of " + name);
    const auto repeated = other.done(name, "key of " + name);
    CHECK(repeated.replayed);
    CHECK(repeated.events().front().position == first.events().front().position);
  }
}

TEST_CASE("nodes that write at the same time make one order") {
  Nodes nodes;
  SharedNodeDirectory third(nodes.database, "n3");
  third.open();
  // Catch2's checks are not thread-safe.
  std::array<std::string, 3> faults;
  const auto write = [](SharedLog& log, const std::string& name, std::string& faults_of_node) {
    Program program(log);
    for (int i = 0; i < 25; ++i) faults_of_node += fault_of(program.execute(name + " " + std::to_string(i)));
  };
  std::thread a([&] { write(nodes.first.log(), "a", faults[0]); });
  std::thread b([&] { write(nodes.second.log(), "b", faults[1]); });
  write(third.log(), "c", faults[2]);
  a.join();
  b.join();
  CHECK(faults == std::array<std::string, 3>{});
  CHECK(nodes.first.log().catch_up() == nodes.second.log().catch_up());
  third.log().catch_up();
  CHECK(content_of(nodes.first.log()) == content_of(nodes.second.log()));
  CHECK(content_of(nodes.first.log()) == content_of(third.log()));
}

TEST_CASE("a new node fetches its copy, and so does one whose copy is astray or whose machine restarted") {
  Nodes nodes;
  Program program(nodes.first.log());
  for (int i = 0; i < 5; ++i) program.done("project " + std::to_string(i));
  SharedNodeDirectory late(nodes.database, "n3");
  CHECK(content_of(late.open()) == content_of(nodes.first.log()));
  late.close();
  const auto beside = late.node().directory;
  SECTION("astray") { std::ofstream(beside / "ledger.astray") << "for a test\n"; }
  SECTION("restarted") { std::ofstream(beside / "ledger.boot") << "another run of the machine"; }
  SECTION("overwritten") { std::ofstream(beside / "ledger" / "data.mdb") << std::string(65536, 'x'); }
  SECTION("cut off") { std::filesystem::resize_file(beside / "ledger" / "data.mdb", 0); }
  program.done("one more");
  CHECK(content_of(late.open()) == content_of(nodes.first.log()));
  CHECK_FALSE(std::filesystem::exists(beside / "ledger.astray"));
}

TEST_CASE("a copy of another ledger, and another directory of the same name, are refused") {
  Nodes nodes;
  DeadlineWatch watch;
  SharedDatabase other;
  SharedNodeDirectory stranger(other, "n1");
  stranger.make(other);
  auto node = stranger.node();
  node.uri = nodes.database.uri();
  node.name = "n9";
  SECTION("another ledger") {
    const auto copy = open_copy(node, one_gigabyte());
    CHECK_THROWS_AS(start_client(node, copy.get(), watch), LedgerMismatch);
  }
  SECTION("another ledger that would be fetched over it") {
    std::filesystem::remove(node.directory / "ledger.boot");
    CHECK_THROWS_AS(open_copy(node, one_gigabyte()), LedgerMismatch);
    CHECK(LmdbLog::is_in(node.directory / "ledger"));
  }
  SECTION("no ledger") {
    const SharedDatabase empty;
    SharedNodeDirectory lost(empty, "n1");
    CHECK_THROWS_AS(lost.open(), LedgerMismatch);
  }
  SECTION("a name that is taken") {
    SharedNodeDirectory twin(nodes.database, "n1");
    CHECK_THROWS_AS(twin.open(), LedgerMismatch);
  }
}

TEST_CASE("a copy from before the ledger was restored is never deleted, in any state") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  nodes.second.log().catch_up();
  nodes.second.close();
  nodes.first.close();
  nodes.database.run("UPDATE pixledger.ledger SET epoch = 2");
  const auto& node = nodes.second.node();
  SECTION("the machine was restarted") {
    std::ofstream(node.directory / "ledger.boot") << "another run of the machine";
  }
  SECTION("it was found astray") {
    std::ofstream(node.directory / "ledger.astray") << "for a test\n";
    std::filesystem::remove(node.directory / "ledger.boot");
  }
  CHECK_THROWS_AS(open_copy(node, one_gigabyte()), LedgerMismatch);
  CHECK(LmdbLog(node.directory / "ledger", one_gigabyte()).head().position > Position());
}

TEST_CASE("a copy with another commit than PostgreSQL is astray, however many commits both have") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  nodes.second.log().catch_up();
  nodes.second.close();
  nodes.database.run("UPDATE pixledger.batch SET root = sha256('another')");
  DeadlineWatch watch;
  const auto copy = open_copy(nodes.second.node(), one_gigabyte());
  CHECK_THROWS_AS(start_client(nodes.second.node(), copy.get(), watch), CopyAstray);
}

TEST_CASE("events of a newer release are no damage of the copy") {
  Nodes nodes;
  nodes.second.close();
  const auto copy = open_copy(nodes.second.node(), one_gigabyte());
  const LastWords last_words;
  const CopyGuard guard(nodes.second.node(), *copy, last_words);
  CHECK_THROWS_AS(guard.watch([] { throw WrittenByNewerRelease("for a test"); }), WrittenByNewerRelease);
  CHECK_FALSE(problem_of_copy(nodes.second.node()));
}

TEST_CASE("a node's own decision that cannot be appended is no damage of its copy") {
  Shared node;
  {
    const auto write = node.get().begin_write();
    write->append(batch({record("a", 1)}));
    write->commit();
  }
  CHECK_THROWS_AS(node.get().begin_write()->append(batch({record("a", 1)})), LmdbError);
  CHECK(node.get().version_of(stream("a")) == 1);
}

TEST_CASE("idempotency records are removed from PostgreSQL once they have expired") {
  Nodes nodes;
  Program program(nodes.first.log());
  program.done("project", "key");
  program.done("another");
  const auto kept = [&] {
    return nodes.database.run("SELECT count(*) FROM pixledger.records").at(0).at(0).as<int>();
  };
  DeadlineWatch watch;
  const auto client = start_client(nodes.first.node(), nullptr, watch);
  CHECK(kept() == 1);
  // Their age in the ledger's time counts, whatever a machine's clock says; and they are removed later.
  const auto let_pass = [&](std::int64_t millis) {
    nodes.database.run("UPDATE pixledger.head SET time = time + " + std::to_string(millis));
    prune_records(*client);
  };
  let_pass(kIdempotencyKeptMs + 60'000);
  CHECK(kept() == 1);
  let_pass(3'600'000);
  CHECK(kept() == 0);
  // A node that joins later has the same log without them.
  SharedNodeDirectory late(nodes.database, "n3");
  CHECK(late.open().head() == nodes.first.log().head());
}

TEST_CASE("a name taken over by another directory starts without the first one's erasure progress") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  nodes.second.log().note_erased(Position(1));
  nodes.second.close();
  SharedNodeDirectory heir(nodes.database, "n2");
  for (const auto& node : heir.open().nodes())
    if (node.name == "n2") CHECK(node.erased == Position());
}

TEST_CASE("a node's erasure progress is not written to the row of a node that took its name over") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  auto& log = node.open();
  log.note_erased(Position(3));
  CHECK(log.erased() == Position(3));
  database.run("UPDATE pixledger.node SET boot = 'another'");
  CHECK_THROWS_AS(log.note_erased(Position(7)), LogUnavailable);
  CHECK_THROWS_AS(log.erased(), LogUnavailable);
  CHECK(database.run("SELECT erased FROM pixledger.node").at(0).at(0).as<int>() == 3);
}

TEST_CASE("a node whose copy has no room refuses writes with the reason, and the others go on") {
  Nodes nodes;
  nodes.second.close();
  auto options = one_gigabyte();
  options.map_bytes = std::size_t{1} << 20;
  SharedLog full(open_copy(nodes.second.node(), options), nodes.second.node());
  Program there(nodes.first.log());
  Program here(full);
  here.done("project");
  const std::string long_name(60, 'n');
  std::string refusal;
  for (int i = 0; refusal.empty(); ++i) {
    REQUIRE(i < 10'000);
    refusal = fault_of(here.execute(long_name + std::to_string(i)));
  }
  CHECK(refusal.find("--map-size") != std::string::npos);
  there.done("another");
  CHECK_THROWS_AS(full.catch_up(), LogUnavailable);
  CHECK(std::holds_alternative<Unavailable>(here.execute("one more")));
  // Its acknowledged commits exist.
  CHECK(nodes.first.log().catch_up().position > full.head().position);
}

TEST_CASE("a session that broke off while idle fails no write") {
  Nodes nodes;
  Program there(nodes.first.log());
  there.done("project");
  const auto of_nodes =
      " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
      "AND backend_start < '" +
      nodes.database.run("SELECT now()").at(0).at(0).as<std::string>() + "'";
  nodes.database.run("SELECT pg_terminate_backend(pid)" + of_nodes);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (nodes.database.run("SELECT count(*)" + of_nodes).at(0).at(0).as<int>() > 0)
    REQUIRE(std::chrono::steady_clock::now() < until);
  there.done("another");
}

TEST_CASE("a node that follows the log finds a changed event") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  nodes.second.log().catch_up();
  nodes.second.close();
  Program(nodes.first.log()).done("another");
  const auto changed = GENERATE(as<std::string>(), "set_byte(leaf, 60, get_byte(leaf, 60) # 1)",
                                "overlay(leaf placing 'A'::bytea from position('another'::bytea in leaf))");
  nodes.database.run("UPDATE pixledger.event SET leaf = " + changed +
                     " WHERE position = (SELECT max(position) FROM pixledger.event)");
  DeadlineWatch watch;
  const auto copy = open_copy(nodes.second.node(), one_gigabyte());
  const auto client = start_client(nodes.second.node(), copy.get(), watch);
  // Another copy would be no better, and is not fetched for it.
  CHECK_THROWS_AS(take_in_batches(*client, *copy), SharedLedgerDamaged);
  std::filesystem::remove_all(copy->environment().directory());
  CHECK_THROWS_AS(open_copy(nodes.second.node(), one_gigabyte()), SharedLedgerDamaged);
}

TEST_CASE("the servers' role can neither change nor delete an event") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  DeadlineWatch watch;
  const auto refused = [&](const std::string& statement) {
    PgClient client(nodes.database.uri(), PgTimeouts{}, watch);
    CHECK_THROWS_AS(client.run(statement), LogUnavailable);
  };
  refused("UPDATE event SET leaf = ''");
  refused("DELETE FROM event");
  refused("TRUNCATE event");
  refused("DROP TABLE event");
  refused("UPDATE batch SET root = ''");
  refused("DELETE FROM batch");
  refused("DELETE FROM head");
  refused("DELETE FROM ledger");
  refused("UPDATE ledger SET keyring = NULL");
}

TEST_CASE("personal data that one node removes are gone from PostgreSQL") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  auto& log = node.open();
  commit(log, batch({record("a", 1, "envelope", "who")}, SystemClock().now()));
  log.remove_personal({Position(1)});
  CHECK(database.run("SELECT count(*) FROM pixledger.personal").at(0).at(0).as<int>() == 0);
  CHECK(log.read_after(Position(), 1).at(0).personal.empty());
}

TEST_CASE("removed data are gone from a node once each of its programs has released them") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  auto& log = node.open();
  commit(log, batch({record("a", 1, "envelope", "who")}, SystemClock().now()));
  // Another program, which has the copy open and is stopped.
  auto other = UserLock::try_take(users_of_copy(node.node()));
  log.remove_personal({Position(1)});
  CHECK_THROWS_AS(log.scrub(std::chrono::milliseconds(200)), SnapshotInUse);
  other.reset();
  log.scrub(std::chrono::seconds(30));
}

TEST_CASE("an accepted clock of the database is accepted for all nodes") {
  Nodes nodes;
  Program(nodes.first.log()).done("project");
  nodes.first.log().accept_clock({"any", 0});
  const auto accepted = nodes.second.log().clock_acceptance();
  CHECK(accepted.count == 1);
  CHECK(accepted.head_time == nodes.first.log().head().time);
}

TEST_CASE("a shared ledger is named by a URI of libpq with a user, a database and no password") {
  const auto good = LedgerUri::parse("postgresql://pix@db1,db2:5433/ledger?target_session_attrs=read-write");
  REQUIRE(good);
  CHECK(good->user == "pix");
  CHECK(good->database == "ledger");
  CHECK(LedgerUri::parse("postgresql://pix@db1:,db2:5433/ledger?sslmode=verify-full&connect_timeout=3"));
  for (const auto* bad : {"",
                          "http://pix@db/ledger",
                          "db1",
                          "postgresql://db/ledger",
                          "postgresql://pix@db",
                          "postgresql://pix:secret@db/ledger",
                          "postgresql://pix@db/ledger?password=secret",
                          "postgresql://pix@db/ledger?sslpassword=secret",
                          "postgresql://pix@db/ledger?colour=blue",
                          "postgresql://pix@db/ledger?options=-cfsync%3Doff",
                          "postgresql://pix@db:70000/ledger",
                          "postgresql://pix@db1,db2/ledger?port=1,2,3",
                          "postgresql://pix@db:54x2/ledger",
                          "postgresql://pix@db1:5432,db2:0/ledger",
                          "postgresql://pix@db/ledger?target_session_attrs=read_write",
                          "postgresql://pix@db/ledger?target_session_attrs=standby",
                          "postgresql://pix@db/ledger?sslmode=verify",
                          "postgresql://pix@db/ledger?connect_timeout=soon",
                          "postgresql://pix@db/ledger?connect_timeout=0",
                          "postgresql://pix@/ledger"}) {
    CAPTURE(bad);
    CHECK_FALSE(LedgerUri::parse(bad));
    CHECK_FALSE(LedgerUri::rule_for(bad).empty());
    CHECK(std::string(LedgerUri::rule_for(bad)).find("secret") == std::string::npos);
  }
}
