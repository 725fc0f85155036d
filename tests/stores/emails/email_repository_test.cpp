#include "stores/emails/email_repository.h"

#include <catch2/catch.hpp>

#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/database_engines.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::stores;

namespace {

eventstore::LogCursor cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, Position(position), {}};
}

NewEmail email(std::uint64_t position) {
  return {Position(position), sample_charge_id(), domain::Environment::kLive,
          kStart.plus_millis(static_cast<std::int64_t>(position))};
}

std::vector<std::uint64_t> positions(const std::vector<Email>& emails) {
  std::vector<std::uint64_t> found;
  for (const auto& each : emails) found.push_back(each.position.value());
  return found;
}

}  // namespace

TEMPLATE_TEST_CASE("e-mails and cursor are stored together, and existing e-mails do not change", "", OnFiles,
                   OnTables) {
  const TestType engine;
  {
    const auto opened = engine.emails();
    auto& store = *opened;
    CHECK_FALSE(store.cursor());
    store.add({email(3), email(5)}, cursor(6));
    store.record({Position(3), EmailStatus::kPending, 1, kStart.plus_millis(500), "busy"});
  }
  const auto opened = engine.emails();
  auto& store = *opened;
  store.add({email(3), email(8)}, cursor(8));
  CHECK(store.cursor() == cursor(8));
  CHECK(store.pending() == 3);
  CHECK(positions(store.due(kStart.plus_millis(7), 10)) == std::vector<std::uint64_t>{5});
  const auto due = store.due(kStart.plus_millis(500), 10);
  CHECK(positions(due) == std::vector<std::uint64_t>{5, 8, 3});
  CHECK(due.back().attempts == 1);
  CHECK(due.back().error == "busy");
  CHECK(due.back().charge == sample_charge_id());
  CHECK(due.back().environment == domain::Environment::kLive);
  CHECK(positions(store.due(kStart.plus_millis(500), 2)) == std::vector<std::uint64_t>{5, 8});
}

TEMPLATE_TEST_CASE("a sent e-mail is deleted, and one that was given up is not due anymore", "", OnFiles,
                   OnTables) {
  const TestType engine;
  const auto opened = engine.emails();
  auto& store = *opened;
  store.add({email(1), email(2), email(3)}, cursor(3));
  store.record({Position(1), EmailStatus::kSent, 1, {}, ""});
  store.record({Position(2), EmailStatus::kRefused, 1, {}, "no"});
  store.record({Position(3), EmailStatus::kExhausted, 12, {}, "busy"});
  CHECK(store.pending() == 0);
  CHECK(store.due(kStart.plus_millis(1000), 10).empty());
  const auto given_up = store.given_up(10);
  CHECK(positions(given_up) == std::vector<std::uint64_t>{3, 2});
  CHECK(given_up[0].status == EmailStatus::kExhausted);
  CHECK(given_up[0].attempts == 12);
}

TEMPLATE_TEST_CASE(
    "what was given up is listed by status, and due again when it is resent, but for what was withdrawn", "",
    OnFiles, OnTables) {
  const TestType engine;
  const auto opened = engine.emails();
  auto& store = *opened;
  auto other = email(2);
  other.charge = parsed<domain::ChargeId>("cmb3k9x2a0001log1m2v7c4tz");
  store.add({email(1), other, email(3), email(4), email(5)}, cursor(5));
  store.record({Position(1), EmailStatus::kRefused, 1, {}, "no"});
  store.record({Position(2), EmailStatus::kExhausted, 12, {}, "busy"});
  store.record({Position(3), EmailStatus::kWithdrawn, 0, {}, ""});
  store.record({Position(4), EmailStatus::kCapped, 1, {}, "enough"});
  CHECK(positions(store.given_up(10, EmailStatus::kExhausted)) == std::vector<std::uint64_t>{2});
  CHECK(positions(store.given_up(2)) == std::vector<std::uint64_t>{4, 3});

  const auto now = kStart.plus_millis(1000);
  CHECK(store.resend(parsed<domain::ChargeId>("cmb3k9x2a0001log1m2v7c4tz"), now) == 1);
  const auto again = store.due(now, 10);
  CHECK(positions(again) == std::vector<std::uint64_t>{5, 2});
  CHECK(again.back().attempts == 0);
  CHECK(again.back().error.empty());
  CHECK(store.resend(std::nullopt, now) == 2);
  CHECK(positions(store.given_up(10)) == std::vector<std::uint64_t>{3});
  CHECK(store.resend(std::nullopt, now) == 0);
}

TEMPLATE_TEST_CASE("the sandbox's daily limits are reached, survive a restart and are reset the next day", "",
                   OnFiles, OnTables) {
  const TestType engine;
  const auto day = *parse_date("2026-03-01");
  auto opened = engine.emails();
  bool restarts = true;
  const auto take = [&](const char* project, const std::string& recipient, Timestamp now) {
    if (restarts) opened = engine.emails();
    return opened->take_sandbox_share(parsed<domain::ProjectId>(project), recipient, now);
  };
  constexpr const char* kOne = "cmb3k9x2a0000log1x8f2k9qa";
  constexpr const char* kOther = "cmb3k9x2a0000log1x8f2k9qb";
  for (unsigned i = 0; i < kSandboxEmailsToRecipient; ++i)
    REQUIRE(take(kOne, "ana", day) == SandboxShare::kLeft);
  CHECK(take(kOne, "ana", day) == SandboxShare::kUsedByRecipient);
  // A recipient's limit counts all projects together.
  CHECK(take(kOther, "ana", day) == SandboxShare::kUsedByRecipient);
  restarts = false;
  for (unsigned i = kSandboxEmailsToRecipient; i < kSandboxEmailsOfProject; ++i)
    REQUIRE(take(kOne, "somebody " + std::to_string(i), day) == SandboxShare::kLeft);
  restarts = true;
  CHECK(take(kOne, "bia", day.plus_millis(86'399'999)) == SandboxShare::kUsedByProject);
  CHECK(take(kOther, "bia", day) == SandboxShare::kLeft);
  CHECK(take(kOne, "ana", day.plus_millis(86'400'000)) == SandboxShare::kLeft);
}

TEST_CASE("a database of the first release is migrated for the sandbox's limits") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "emails.sqlite";
  {
    const auto database = open_sqlite(file, "rwc");
    database->run(
        "CREATE TABLE emails (position INTEGER PRIMARY KEY, charge TEXT NOT NULL, environment INTEGER NOT "
        "NULL, recorded_at INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL, "
        "next_attempt_at INTEGER NOT NULL, error TEXT NOT NULL)");
    database->run(kMakeCursorTable);
    database->run("INSERT INTO emails VALUES (7, 'cmb3k9x2a0001log1m2v7c4tz', 0, 1, 3, 12, 1, 'busy')");
    database->run("PRAGMA user_version = 1");
  }
  EmailRepository store(file);
  CHECK(positions(store.given_up(10)) == std::vector<std::uint64_t>{7});
  CHECK(store.take_sandbox_share(sample_project_id(), "ana", kStart) == SandboxShare::kLeft);
}
