#include <catch2/catch.hpp>

#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/shared_write.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/eventstore/postgres/node_program.h"

// Commits whose outcome PostgreSQL does not report.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// Makes PostgreSQL run `what` at the end of every commit to the ledger.
void at_each_commit(const SharedDatabase& database, const std::string& what) {
  database.run(
      "CREATE FUNCTION public.at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ "
      "BEGIN " +
      what +
      "; RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON pixledger.batch "
      "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.at_commit()");
}
constexpr const char* kBreaksOff = "PERFORM pg_terminate_backend(pg_backend_pid())";
constexpr const char* kWarns = "RAISE WARNING 'something is odd'";

struct Node {
  Node() { directory.make(database); }

  SharedDatabase database;
  SharedNodeDirectory directory{database, "n1"};
};

// A write in its turn, with one event to commit.
struct Turn {
  Turn(const Node& node, std::function<std::unique_ptr<PgClient>()> connect)
      : copy(open_copy(node.directory.node(), one_gigabyte())),
        guard(node.directory.node(), *copy, last_words),
        client(start_client(node.directory.node(), copy.get(), watch)),
        write({.copy = *copy,
               .guard = guard,
               .client = client,
               .connect = std::move(connect),
               .on_unknown = [this] { ++unknown; },
               .own_commit = own_commit,
               .replicated = replicated,
               .stops_for_losses = true},
              std::unique_lock(mutex)) {
    write.take_turn();
    write.append(batch({record("a", 1)}, SystemClock().now()));
  }

  // The message of the exception that the commit throws.
  std::string unknown_outcome() {
    try {
      write.commit();
    } catch (const LogOutcomeUnknown& outcome) {
      return outcome.what();
    }
    return "it was known";
  }

  DeadlineWatch watch;
  std::recursive_mutex mutex;
  std::atomic<std::uint64_t> own_commit{0};
  std::atomic<std::uint64_t> replicated{0};
  int unknown = 0;
  std::unique_ptr<LmdbLog> copy;
  const LastWords last_words;
  CopyGuard guard;
  std::shared_ptr<PgClient> client;
  SharedWrite write;
};

}  // namespace

TEST_CASE("a commit of unknown outcome is looked up, and counts if it exists") {
  Node node;
  Program program(node.directory.open());
  at_each_commit(node.database, kWarns);
  const auto position = program.done("project", "key").position;
  CHECK(program.log.catch_up().position == position);
  CHECK(program.log.unknown_commits() == 0);
  CHECK(program.done("project", "key").replayed);
}

TEST_CASE(
    "a commit that may or may not have been done is looked for, and came to nothing when it is not there") {
  Node node;
  Program program(node.directory.open());
  at_each_commit(node.database, kBreaksOff);
  const auto refused = program.execute("project", "key");
  CHECK(std::holds_alternative<Unavailable>(refused));
  CHECK(fault_of(refused).find("nothing was written") != std::string::npos);
  CHECK(program.log.unknown_commits() == 0);
  CHECK(program.log.catch_up().position == Position());
  node.database.run("DROP FUNCTION public.at_commit() CASCADE");
  CHECK_FALSE(program.done("project", "key").replayed);
}

TEST_CASE("a commit that cannot be looked up is never reported as not done") {
  Node node;
  at_each_commit(node.database, kBreaksOff);
  SECTION("PostgreSQL is away") {
    Turn turn(node, []() -> std::unique_ptr<PgClient> { throw LogUnavailable("it is away"); });
    CHECK(turn.unknown_outcome() == "it is away");
    CHECK(turn.unknown == 1);
    CHECK(turn.copy->head().position == Position());
  }
  SECTION("another ledger answers") {
    Turn turn(node, []() -> std::unique_ptr<PgClient> { throw LedgerMismatch("it is another"); });
    CHECK(turn.unknown_outcome() == "it is another");
    CHECK(turn.unknown == 1);
  }
  SECTION("PostgreSQL is away for a moment") {
    DeadlineWatch watch;
    int tries = 0;
    Turn turn(node, [&]() -> std::unique_ptr<PgClient> {
      if (++tries == 1) throw LogUnavailable("it is away");
      return start_client(node.directory.node(), nullptr, watch);
    });
    CHECK_THROWS_AS(turn.write.commit(), LogUnavailable);
    CHECK(tries == 2);
    CHECK(turn.unknown == 0);
  }
}

TEST_CASE("another node's commit is repeated only once a standby has it") {
  Node node;
  SharedNodeDirectory other(node.database, "n2");
  Program there(node.directory.open());
  Program here(other.open());
  // No write that only waits for the standby is confirmed.
  node.database.run(
      "CREATE FUNCTION public.at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING "
      "'something is odd'; RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON "
      "pixledger.head DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.batch = new.batch) EXECUTE "
      "FUNCTION public.at_commit()");
  // Sometimes the node's own row was written after it, and is known to be replicated.
  bool is_refused = false;
  for (int i = 0; !is_refused; ++i) {
    REQUIRE(i < 1'000);
    const auto name = "project " + std::to_string(i);
    there.done(name, name);
    here.log.catch_up();
    is_refused = std::holds_alternative<Unavailable>(here.execute(name, name));
  }
  node.database.run("DROP FUNCTION public.at_commit() CASCADE");
  CHECK(here.done("project 0", "project 0").replayed);
}
