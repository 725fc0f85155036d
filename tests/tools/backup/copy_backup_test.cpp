// The copy of a node, backed up when PostgreSQL is lost.
#include <memory>

#include "base/platform/big_endian.h"
#include "eventstore/reading/log_cursor.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/shared_ledger.h"
#include "tests/tools/backup/backup_fixture.h"

namespace pixledger::tests {
namespace {

// Its database can be lost.
struct Node {
  std::unique_ptr<SharedDatabase> database = std::make_unique<SharedDatabase>();
  BackupWorld world;
  const std::filesystem::path data = world.pixledger.data();

  Node() {
    world.pixledger.done(
        {"migrate", "--ledger", database->uri().text, "--ledger-owner", database->owner().text});
    world.add_paid_charge();
  }

  // Moves the webhook worker's cursor to the head. Returns its position.
  std::string handle_webhooks() const {
    const auto log = eventstore::Ledger::open_log(DataDirectory{data}, one_gigabyte());
    const auto position = log->catch_up().position;
    database->run("INSERT INTO pixledger_webhooks.cursor VALUES (1, '" +
                  eventstore::cursor_at(*log, position).text() + "')");
    return std::to_string(position.value());
  }
  // The copy's known content.
  std::string lose_database() {
    auto events = world.events();
    database.reset();
    return events;
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(data / name) << content;
  }
  std::string keys() const { return (data / "keys").string(); }
};

std::string last_position(const std::string& events) { return json_at(lines_of(events).back(), "/position"); }

}  // namespace

TEST_CASE("without PostgreSQL a node's copy is backed up when that is asked for, and restored anywhere") {
  Node node;
  const auto& world = node.world;
  const auto idempotency = json_at(world.backup("before"), "/idempotencyRecords");
  const auto events = node.lose_database();
  const auto refused = world.try_backup("plain");
  CHECK(refused.code == 3);
  CHECK(says(refused.err, "--copy-alone"));

  const auto made = world.backup("alone", {"--copy-alone"});
  CHECK(json_at(made, "/copyAlone") == "true");
  CHECK(json_at(made, "/lastPosition") == last_position(events));
  CHECK(json_at(made, "/headTime") >= json_at(lines_of(events).back(), "/recordedAt"));
  CHECK(json_at(made, "/foundBad") == "null");
  CHECK(says(made, R"("workers":[])"));
  CHECK(json_at(made, "/accounts") == "false");
  CHECK(json_at(made, "/idempotencyRecords") == idempotency);

  const auto restored = world.restore("single", {"alone"}, {"--keys", node.keys()});
  CHECK(json_at(restored, "/epoch") != json_at(made, "/epoch"));
  CHECK(json_at(restored, "/rootHash") == json_at(made, "/rootHash"));
  CHECK(world.events_of("single") == events);
  world.done_on("single", {"verify"});

  const SharedDatabase another;
  world.restore(
      "shared", {"alone"},
      {"--keys", node.keys(), "--ledger", another.uri().text, "--ledger-owner", another.owner().text});
  CHECK(world.events_of("shared") == events);
  CHECK(json_at(world.done_on("shared", {"verify", "--json"}), "/shared") == "equal");
}

TEST_CASE("a backup of before keeps the workers' state and the accounts when a copy alone continues it") {
  Node node;
  const auto& world = node.world;
  world.pixledger.done(
      {"user", "invite", "--project", world.project, "--email", "ana@example.com", "--role", "owner"});
  const auto handled = node.handle_webhooks();
  CHECK(json_at(world.backup("daily"), "/workers/0/handledUpTo") == handled);
  world.add_paid_charge();
  const auto events = node.lose_database();

  const auto made = world.backup("daily", {"--copy-alone"});
  CHECK(json_at(made, "/incremental") == "true");
  CHECK(json_at(made, "/lastPosition") == last_position(events));
  CHECK(json_at(made, "/workers/0/handledUpTo") == handled);
  CHECK(json_at(made, "/accounts") == "true");
  world.backup("daily", {"--copy-alone"});

  const auto restored = world.restore("single", {"daily"}, {"--keys", node.keys()});
  CHECK(json_at(restored, "/accounts") == "true");
  CHECK(json_at(restored, "/workers/0/resumeFrom") == std::to_string(std::stoul(handled) + 1));
  CHECK(world.events_of("single") == events);
  CHECK(says(world.done_on("single", {"user", "list"}), "ana@example.com"));
}

TEST_CASE(
    "a copy that another start would not trust is backed up all the same, and what is said of it told") {
  Node node;
  const auto& world = node.world;
  const auto events = node.lose_database();
  node.write("ledger.boot", "another run of the machine");
  CHECK(world.pixledger.run({"checkpoint"}).code == 3);
  CHECK(json_at(world.backup("rebooted", {"--copy-alone"}), "/foundBad") == "null");
  world.restore("single", {"rebooted"}, {"--keys", node.keys()});
  CHECK(world.events_of("single") == events);

  node.write("ledger.astray", "commit 2 has another root\n");
  CHECK(says(json_at(world.backup("astray", {"--copy-alone"}), "/foundBad"), "commit 2 has another root"));
  const auto told = world.pixledger.run({"backup", world.path("told").string(), "--copy-alone"});
  CHECK(told.code == 0);
  CHECK(says(told.out, "position " + last_position(events)));
  CHECK(says(told.out, "Take another node's copy"));
  CHECK(says(told.out, "what webhooks and e-mails had been sent"));
}

TEST_CASE("a damaged copy is refused, and no backup left of it") {
  Node node;
  const auto& world = node.world;
  node.lose_database();
  SECTION("one with changed bytes") {
    change_closed_value(node.data / "ledger", one_gigabyte(), "events", big_endian(5),
                        [](std::string& event) { event[40] = static_cast<char>(event[40] ^ 1); });
  }
  SECTION("one with invalid pages") {
    const auto file = node.data / "ledger" / "data.mdb";
    const auto size = std::filesystem::file_size(file);
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(8192);
    out << std::string(size - 8192, '\xff');
  }
  const auto refused = world.try_backup("alone", {"--copy-alone"});
  INFO(refused.err);
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "the copy is damaged"));
  CHECK(says(refused.err, "another node"));
  CHECK_FALSE(std::filesystem::exists(world.path("alone") / "MANIFEST"));
}

TEST_CASE("a ledger of one machine has no copy that could be backed up alone") {
  const BackupWorld world;
  const auto refused = world.try_backup("alone", {"--copy-alone"});
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "is backed up without it"));
  CHECK_FALSE(std::filesystem::exists(world.path("alone")));
}

}  // namespace pixledger::tests
