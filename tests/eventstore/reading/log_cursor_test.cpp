#include "eventstore/reading/log_cursor.h"

#include <catch2/catch.hpp>

#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using pixledger::tests::LedgerInMemory;

TEST_CASE("a cursor survives its text form") {
  const LogCursor cursor{{"0123456789abcdef0123456789abcdef", 3}, Position(42), sha256("x")};
  REQUIRE(LogCursor::parse(cursor.text()) == cursor);
}

TEST_CASE("an invalid text of a cursor is refused") {
  const auto hash = std::string(64, '0');
  const std::string id = "0123456789abcdef0123456789abcdef";
  REQUIRE(LogCursor::parse(id + "/1/2/" + hash));
  for (const auto& text : {std::string(), id, id + "/1/2", id + "/1/2/00", id + "/x/2/" + hash,
                           id + "/1/-2/" + hash, "ab/1/2/" + hash, id + "/1/2/" + hash + "/"}) {
    CAPTURE(text);
    REQUIRE_FALSE(LogCursor::parse(text));
  }
}

TEST_CASE("a cursor is good for the log that it was taken from") {
  LedgerInMemory ledger;
  ledger.create_charge();
  check_cursor(cursor_at(ledger.log, ledger.log.head().position), ledger.log);
  check_cursor(cursor_at(ledger.log, Position()), ledger.log);
}

TEST_CASE("a cursor of another ledger, another epoch, another history or the future is refused") {
  LedgerInMemory ledger;
  auto cursor = cursor_at(ledger.log, ledger.log.head().position);

  auto other_ledger = cursor;
  other_ledger.log.ledger_id.front() = 'f';
  REQUIRE_THROWS_AS(check_cursor(other_ledger, ledger.log), CursorMismatch);
  auto other_epoch = cursor;
  other_epoch.log.epoch = 2;
  REQUIRE_THROWS_AS(check_cursor(other_epoch, ledger.log), CursorMismatch);
  auto other_history = cursor;
  other_history.leaf_hash.front() ^= 1;
  REQUIRE_THROWS_AS(check_cursor(other_history, ledger.log), CursorMismatch);
  auto future = cursor;
  future.position = future.position.next();
  REQUIRE_THROWS_AS(check_cursor(future, ledger.log), CursorMismatch);
}
