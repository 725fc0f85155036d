// Verify is independent of the log's storage: it works on a log in memory, too.
#include <algorithm>
#include <catch2/catch.hpp>

#include "domain/pix/br_code.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

// The project's Pix key when that event was recorded.
domain::PixKey of_project(const eventstore::Log& log, const domain::ProjectId& project, Position at) {
  return eventstore::fold_as<domain::Project>(log, domain::project_stream(project), at)
      .value()
      .settings.pix_key.value();
}

}  // namespace

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
    const auto events = log.read_after(Position(), 1000);
    const auto last = std::find_if(events.rbegin(), events.rend(),
                                   [](const auto& event) { return !event.personal.empty(); });
    log.remove_personal({last->position});
    CHECK(found().find("no customer's erasure explains it") != std::string::npos);
  }
  SECTION("an event that its stream's state does not allow") {
    finish_erasures(log);
    const auto first = log.read_after(Position(), 1).front();
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

TEST_CASE("a charge whose Pix code does not fit it, or whose customer is of the sandbox, is found") {
  RandomLedger ledger(1, 400);
  auto& log = ledger.log();
  finish_erasures(log);
  const auto created_in = [](const domain::RecordedEvent& event) {
    const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
    return change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
  };
  const auto of_live = std::find_if(ledger.events().rbegin(), ledger.events().rend(), [&](const auto& event) {
    const auto* created = created_in(event);
    return created && created->environment == domain::Environment::kLive;
  });
  REQUIRE(of_live != ledger.events().rend());
  // The same charge once more, under an id of its own.
  auto charge = *created_in(*of_live);
  charge.id = parsed<domain::ChargeId>("c0000000000000000000000aa");
  charge.expires_at = log.head().time.plus_millis(kDayMs);
  domain::BrCodeFields code{.key = of_project(log, of_live->project, of_live->position),
                            .merchant_name = "Loja",
                            .merchant_city = "Recife",
                            .amount = charge.amount,
                            .txid = charge.id.text()};
  std::string expected;
  SECTION("none of it") {}
  SECTION("another's id") {
    code.txid = created_in(*of_live)->id.text();
    expected = "its Pix code is that of another charge";
  }
  SECTION("another amount") {
    code.amount = charge.amount + domain::Cents(1);
    expected = "its Pix code asks for another amount";
  }
  SECTION("another key") {
    code.key = parsed<domain::PixKey>("ladrao@example.com");
    expected = "its Pix code pays another key than the project's at that time";
  }
  SECTION("a customer of the sandbox") {
    const auto of_sandbox = [&](const domain::RecordedEvent& event) -> const domain::CustomerRegistered* {
      const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
      const auto* registered = change ? std::get_if<domain::CustomerRegistered>(change) : nullptr;
      const bool is_it = registered && event.project == of_live->project &&
                         registered->environment == domain::Environment::kSandbox;
      return is_it ? registered : nullptr;
    };
    const auto found = std::find_if(ledger.events().begin(), ledger.events().end(), of_sandbox);
    REQUIRE(found != ledger.events().end());
    charge.customer = of_sandbox(*found)->id;
    expected = "it is live, and its customer the sandbox's";
  }
  charge.pix_code = domain::write_br_code(code);
  const auto stream = domain::charge_stream(charge.id);
  SeededEntropy entropy(7);
  const auto encoded = eventstore::encode({.position = {},
                                           .stream = stream,
                                           .version = 1,
                                           .recorded_at = log.head().time,
                                           .project = of_live->project,
                                           .actor = "key-test",
                                           .request_id = {},
                                           .event = domain::ChargeEvent(charge)},
                                          entropy);
  const auto write = log.begin_write();
  write->append({.time = log.head().time,
                 .id_counter = 0,
                 .records = {{.stream = stream,
                              .version = 1,
                              .bytes = encoded.bytes,
                              .personal = encoded.personal,
                              .claims = {}}},
                 .idempotency = {}});
  write->commit();
  const auto result = tools::verify_log(log, {});
  CHECK((result.finding ? result.finding->problem : "") == expected);
}

}  // namespace pixledger::tests
