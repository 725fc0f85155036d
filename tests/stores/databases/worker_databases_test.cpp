#include "stores/databases/worker_databases.h"

#include <catch2/catch.hpp>

#include "eventstore/postgres/worker_lease.h"
#include "stores/databases/worker_tables.h"
#include "stores/sql/postgres_database.h"
#include "stores/sql/sqlite_database.h"
#include "stores/status/worker_state.h"
#include "tests/stores/deliveries/delivery_changes_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

constexpr const char* kProgram = "pixledger-webhooks";

std::unique_ptr<eventstore::WorkerLease> take_lease(const OnTables& engine) {
  return eventstore::WorkerLease::try_take(engine.node(), kProgram, [] {});
}

NewEmail email(std::uint64_t position) {
  return {Position(position), sample_charge_id(), Environment::kLive, kStart};
}

// Everything that the tables have, in the order of their keys.
std::string all_of(const std::filesystem::path& file) {
  const auto database = open_sqlite(file, "ro");
  std::string text;
  const auto tables = database->run("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  for (const auto& table : tables.rows) {
    text += table.text(0) + "\n";
    for (const auto& row : database->run("SELECT * FROM " + table.text(0)).rows) {
      for (std::size_t i = 0; i < row.size(); ++i) text += row.is_null(i) ? "-|" : row.text(i) + "|";
      text += "\n";
    }
  }
  return text + database->run("PRAGMA user_version").rows.at(0).text(0);
}

// Some rows in every table of workers.
void fill(const OnFiles& files) {
  const auto deliveries = files.deliveries();
  deliveries->add({sample_delivery(1), sample_delivery(2, 2), sample_delivery(3, 1, "b"), recovery(7, 2)},
                  sample_cursor(9));
  const auto attempt = [&](std::uint64_t position, DeliveryStatus status, std::int64_t at_ms) {
    const auto found = deliveries->find(sample_delivery(position).id).value();
    std::optional<std::int64_t> next_ms;
    if (status == DeliveryStatus::kPending) next_ms = at_ms + 1'000;
    deliveries->record({attempt_of(found, status, at_ms, next_ms)}, kStart.plus_millis(at_ms));
  };
  attempt(1, DeliveryStatus::kPending, 10);
  attempt(1, DeliveryStatus::kPending, 20);
  attempt(3, DeliveryStatus::kExhausted, 30);
  auto old = sample_delivery(4, 1, "c");
  old.created_at = kStart.plus_millis(-1'000);
  deliveries->add({old}, sample_cursor(9));
  attempt(4, DeliveryStatus::kDelivered, 40);
  deliveries->prune(kStart.plus_millis(-1), 100);
  deliveries->erase_answers({parsed<ChargeId>("ccharge0000b")});
  const auto emails = files.emails();
  std::vector<NewEmail> many;
  for (std::uint64_t position = 1; position <= 2'500; ++position) many.push_back(email(position));
  emails->add(many, sample_cursor(9));
  emails->record({Position(3), EmailStatus::kRefused, 1, {}, "o'clock \\ ü"});
  emails->take_sandbox_share(sample_project_id(), "ana", kStart);
}

}  // namespace

TEST_CASE("of two workers of a kind the one that lost the lease records nothing any more") {
  const OnTables engine;
  auto lease = take_lease(engine);
  REQUIRE(lease);
  CHECK_FALSE(take_lease(engine));
  bool is_told = false;
  const auto right = [&](std::int64_t epoch) {
    return eventstore::WorkerRight{.fence =
                                       eventstore::WorkerFence{kProgram, epoch, [&] { is_told = true; }}};
  };
  const auto first = engine.databases().deliveries(right(lease->epoch()));
  first->add({sample_delivery(1)}, sample_cursor(1));

  // A worker that stops releases the lease at once.
  lease.reset();
  const auto other = take_lease(engine);
  REQUIRE(other);
  const auto second = engine.databases().deliveries(right(other->epoch()));
  second->add({sample_delivery(2, 2)}, sample_cursor(2));
  CHECK_THROWS_AS(first->add({sample_delivery(3, 3)}, sample_cursor(1)), WorkerFenced);
  CHECK(is_told);
  CHECK(second->cursor() == sample_cursor(2));
  CHECK_FALSE(second->find(sample_delivery(3).id));

  // Without the condition both would.
  const auto unfenced = engine.databases().deliveries({});
  unfenced->add({sample_delivery(3, 3)}, sample_cursor(1));
  CHECK(second->cursor() == sample_cursor(1));
}

TEST_CASE("a session that broke off between transactions is reopened") {
  const OnTables engine;
  const auto store = engine.deliveries();
  store->add({sample_delivery(1)}, sample_cursor(1));
  const auto end_sessions = [&] {
    engine.database().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid "
        "<> "
        "pg_backend_pid()");
  };
  end_sessions();
  CHECK(store->cursor() == sample_cursor(1));
  end_sessions();
  store->add({sample_delivery(2, 2)}, sample_cursor(2));
  CHECK(store->find(sample_delivery(2).id));
}

TEST_CASE(
    "what a transaction has begun comes to nothing with its session, and is not gone on with in another") {
  const OnTables engine;
  PostgresDatabase database(engine.node(), kEmailDatabase.schema);
  const auto add = [&](std::int64_t day) {
    database.run("INSERT INTO sandbox_emails (day, whose, emails) VALUES ($1, 'a', 1)", {day});
  };
  {
    SqlTransaction transaction(database);
    add(1);
    engine.database().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid "
        "<> "
        "pg_backend_pid()");
    CHECK_THROWS_AS(add(2), eventstore::LogUnavailable);
    CHECK_THROWS_AS(add(3), eventstore::LogUnavailable);
  }
  CHECK(database.integer("SELECT count(*) FROM sandbox_emails WHERE whose = 'a'") == 0);
}

TEST_CASE("bytes that PostgreSQL refuses as text are stored") {
  const OnTables engine;
  const auto store = engine.emails();
  store->add({email(1)}, sample_cursor(1));
  const std::string error("'; DROP TABLE emails; -- \\' \xff\xc3 \xc3\xbc \0 \n", 37);
  store->record({Position(1), EmailStatus::kRefused, 1, {}, error});
  CHECK(store->given_up(10).at(0).error == "'; DROP TABLE emails; -- \\' ?? \xc3\xbc   \n");
}

TEST_CASE("workers' data are the same after they were copied to PostgreSQL and back into files") {
  const OnTables engine;
  const OnFiles files;
  fill(files);
  {
    DeadlineWatch watch;
    eventstore::PgClient owner(engine.database().owner(), eventstore::PgTimeouts{}, watch);
    owner.run("BEGIN");
    // It takes the data directory, which contains the workers' one.
    const TemporaryDirectory data;
    std::filesystem::create_directory_symlink(files.databases().workers(), data.path() / "workers");
    import_worker_databases(owner, {data.path()});
    owner.commit();
  }
  const auto tables = engine.databases();
  for (const auto& database : kWorkerDatabases) {
    const TemporaryDirectory target;
    const auto file = target.path() / "exported.sqlite";
    REQUIRE(export_worker_database(tables, database, file));
    CHECK(all_of(file) == all_of(files.file(database)));
    CHECK(tables.cursor(database) == sample_cursor(9));
  }
  const auto here = delivery_backlog(files.databases());
  const auto there = delivery_backlog(tables);
  CHECK(there.pending == here.pending);
  CHECK(there.oldest == here.oldest);
  CHECK(there.due_since == here.due_since);
  CHECK(attempt_totals(tables).size() == attempt_totals(files.databases()).size());
  CHECK(failing_channels(tables).size() == failing_channels(files.databases()).size());
  CHECK(email_backlog(tables).unsent == 2'499);
  CHECK(email_backlog(tables).given_up == 1);
  CHECK(email_backlog(tables).capped_ever == email_backlog(files.databases()).capped_ever);
  // New rows there continue the numbering.
  engine.deliveries()->add({sample_delivery(8, 1, "z")}, sample_cursor(10));
  CHECK(engine.deliveries()->find(sample_delivery(8).id)->number > 3);
}

TEST_CASE("a worker that has never started has nothing to copy into a file") {
  const OnTables engine;
  const TemporaryDirectory target;
  const auto file = target.path() / "exported.sqlite";
  CHECK_FALSE(export_worker_database(engine.databases(), kWebhookDatabase, file));
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK_FALSE(find_worker(engine.databases(), "webhooks", {}));
}

TEST_CASE("a worker counts as running while one holds the lease, on any machine") {
  const OnTables engine;
  engine.deliveries()->add({}, sample_cursor(1));
  CHECK_FALSE(find_worker(engine.databases(), "webhooks", {})->running);
  const auto lease = take_lease(engine);
  CHECK(find_worker(engine.databases(), "webhooks", {})->running);
}
