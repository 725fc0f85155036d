// Verify knows nothing of how a log is kept: it is the same over one in memory.
#include <algorithm>
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {

TEST_CASE("a log in memory that random commands made is consistent") {
  RandomLedger ledger(1, 400);
  finish_erasures(ledger.log());
  const auto result = tools::verify_log(ledger.log(), {});
  INFO((result.finding ? result.finding->problem : ""));
  CHECK_FALSE(result.finding);
  CHECK(result.events == ledger.log().head().position.value());
  CHECK(result.streams > 0);
  CHECK(result.claims > 0);
  CHECK(result.personal > 0);
}

TEST_CASE("a planted violation in a log in memory is found") {
  RandomLedger ledger(1, 400);
  auto& log = ledger.log();
  const auto found = [&log] {
    const auto result = tools::verify_log(log, {});
    return result.finding ? result.finding->problem : "";
  };

  SECTION("an erasure that was left unfinished") {
    CHECK(found().find("are still here") != std::string::npos);
  }
  SECTION("personal data that no erasure took") {
    finish_erasures(log);
    const auto events = log.read_after(domain::Position(), 1000);
    const auto last = std::find_if(events.rbegin(), events.rend(),
                                   [](const auto& event) { return !event.personal.empty(); });
    log.remove_personal({last->position});
    CHECK(found().find("no customer's erasure explains it") != std::string::npos);
  }
  SECTION("an event that its stream's state does not allow") {
    finish_erasures(log);
    const auto first = log.read_after(domain::Position(), 1).front();
    const auto event = eventstore::decode(first);
    const auto write = log.begin_write();
    write->append({.time = log.head().time,
                   .id_counter = 0,
                   .records = {{.stream = event.stream,
                                .version = log.version_of(event.stream) + 1,
                                .bytes = first.bytes,
                                .personal = {},
                                .claims = {}}},
                   .idempotency = {}});
    write->commit();
    CHECK_FALSE(found().empty());
  }
}

}  // namespace pixledger::tests
