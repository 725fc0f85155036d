#include "workers/common/resume_from.h"

#include <catch2/catch.hpp>

#include "base/process/options.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using workers::ResumeFrom;

TEST_CASE("a worker without state begins at the given place") {
  tests::LedgerInMemory ledger;
  ledger.create_charge();
  const auto head = ledger.log.head().position;
  const auto start = [&](const std::string& text) {
    return ResumeFrom::parse(text).value().cursor_in(ledger.log);
  };
  REQUIRE(start("beginning")->position == Position());
  REQUIRE(start("head")->position == head);
  REQUIRE(start("2")->position == Position(1));
  REQUIRE(start("2")->leaf_hash == ledger.log.leaf_hash(Position(1)));
  REQUIRE(start(std::to_string(head.value() + 1))->position == head);
  REQUIRE_FALSE(start(std::to_string(head.value() + 2)));
}

TEST_CASE("an invalid place to begin is refused") {
  for (const auto* text : {"", "0", "-1", "tail", "1x", "99999999999999999999"}) {
    CAPTURE(text);
    REQUIRE_FALSE(ResumeFrom::parse(text));
  }
}

TEST_CASE("after a restore a worker goes on only at a given place") {
  tests::LedgerInMemory ledger;
  ledger.create_charge();
  auto state = eventstore::cursor_at(ledger.log, Position(1));
  REQUIRE_FALSE(workers::start_after_restore(state, ledger.log, ""));
  REQUIRE_THROWS_AS(workers::start_after_restore(state, ledger.log, "head"), UsageError);

  state.log.epoch -= 1;
  REQUIRE_THROWS_WITH(workers::start_after_restore(state, ledger.log, ""),
                      Catch::Contains("before position 2 was handled"));
  const auto start = [&](const std::string& text) {
    return workers::start_after_restore(state, ledger.log, text).value();
  };
  REQUIRE(start("restored") == eventstore::cursor_at(ledger.log, Position(1)));
  REQUIRE(start("head") == eventstore::cursor_at(ledger.log, ledger.log.head().position));
  REQUIRE(start("beginning").position == Position());
  REQUIRE(start("3").position == Position(2));
  REQUIRE_THROWS_AS(start("99"), UsageError);
  REQUIRE_THROWS_AS(start("sometime"), UsageError);
}

TEST_CASE("a worker with state goes on where it was, and refuses another place") {
  const tests::LedgerInMemory ledger;
  const auto stored = eventstore::cursor_at(ledger.log, Position());
  const workers::InitialCursor never{
      "webhooks",
      [](const eventstore::Log&) -> std::optional<eventstore::LogCursor> { throw std::logic_error("asked"); },
      nullptr};
  CHECK_FALSE(workers::choose_start(stored, ledger.log, "", never));
  CHECK_THROWS_AS(workers::choose_start(stored, ledger.log, "head", never), UsageError);
}

TEST_CASE("a worker without state begins at the given place, or at its kind's default") {
  const tests::LedgerInMemory ledger;
  const workers::InitialCursor first{
      "webhooks",
      [](const eventstore::Log& log) { return std::optional(eventstore::cursor_at(log, Position())); },
      nullptr};
  const auto chosen = [&](const std::string& text) {
    return workers::choose_start({}, ledger.log, text, first).value().position;
  };
  CHECK(chosen("") == Position());
  CHECK(chosen("head") == ledger.log.head().position);
  CHECK_THROWS_AS(chosen("tail"), UsageError);
  CHECK_THROWS_AS(chosen("1000"), UsageError);
  const workers::InitialCursor unknown{
      "webhooks", [](const eventstore::Log&) { return std::optional<eventstore::LogCursor>(); }, nullptr};
  CHECK_THROWS_WITH(workers::choose_start({}, ledger.log, "", unknown), Catch::Contains("--resume-from"));
}

TEST_CASE(
    "of machines that share a ledger each may be told where a worker begins, and the first one counts") {
  const tests::LedgerInMemory ledger;
  const auto stored = eventstore::cursor_at(ledger.log, Position());
  const auto start = [&](const eventstore::LogCursor& state) {
    return workers::choose_start(state, ledger.log, "head", workers::kWebhooksBegin,
                                 workers::ResumeTold::kEachMachine);
  };
  CHECK_FALSE(start(stored));
  auto before_restore = stored;
  before_restore.log.epoch -= 1;
  CHECK(start(before_restore) == eventstore::cursor_at(ledger.log, ledger.log.head().position));
}
