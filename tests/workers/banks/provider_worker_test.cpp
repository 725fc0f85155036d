#include "workers/banks/provider_worker.h"

#include <catch2/catch.hpp>

#include "stores/banks/provider_repository.h"
#include "tests/workers/banks/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using domain::ChargeStatus;
using domain::CodeKind;

namespace {

struct WorkingFixture : BankFixture {
  void start(const char* polls = "1h:15m") {
    worker = std::make_unique<ProviderWorker>(ProviderWorkerParts{.log = ledger.log,
                                                                  .keyring = ledger.keyring,
                                                                  .clock = ledger.clock,
                                                                  .entropy = ledger.entropy,
                                                                  .logger = ledger.logger,
                                                                  .executor = ledger.executor,
                                                                  .database = database,
                                                                  .network = network,
                                                                  .directory = ledger.directory.path()},
                                              ProviderWorkerOptions{.polls = *PollPlan::parse(polls)});
  }
  std::set<std::string> left_alone() const { return stores::read_open_breakers(ledger.directory.path()); }

  std::unique_ptr<ProviderWorker> worker;
};

}  // namespace

TEST_CASE("a worker makes codes as charges come, and finds payments when it is called back") {
  WorkingFixture fixture;
  fixture.start();
  // The look at its start, which finds nothing.
  REQUIRE(eventually([&] { return fixture.bank.asked().find("GET /pix") != std::string::npos; }));
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  const auto named = R"({"pix":[{"endToEndId":")" + sample_end_to_end_id().text() + R"("}]})";
  const auto path = "/" + fixture.connection.text() + "/" + kCallbackSecret;
  auto& callbacks = fixture.worker->callbacks();
  CHECK_FALSE(callbacks.refusal_of({.method = "POST", .path = path, .cn = "bank.example"}));
  CHECK(callbacks.store(path, named) == 200);
  CHECK(eventually([&] { return fixture.charge(id).status == ChargeStatus::kPaid; }));
}

TEST_CASE("a callback that was stored outlives the worker that stored it") {
  WorkingFixture fixture;
  const auto id = fixture.create_with_code();
  const auto now = fixture.ledger.clock.now();
  fixture.database.keep_payments(fixture.connection, {sample_end_to_end_id()},
                                 stores::ReadReason::kCalledBack, now, now);
  // Not for the looks at the account, which begin at the same time.
  const auto read = "GET /pix/" + sample_end_to_end_id().text();
  for (int i = 0; i < 8; ++i) fixture.bank.will_answer(read, 200, fixture.payment(id));
  fixture.start();
  CHECK(eventually([&] { return fixture.charge(id).status == ChargeStatus::kPaid; }));
}

TEST_CASE("a bank that does not work is shown to be left alone, and a look finds that it works again") {
  WorkingFixture fixture;
  for (std::size_t i = 0; i < Breaker::kFaultsInARow; ++i) fixture.bank.will_answer("GET /pix", 500, "");
  fixture.start("1s:15m");
  CHECK(eventually([&] { return fixture.left_alone().contains(fixture.connection.text()); }));
  for (int i = 0; i < 3; ++i) fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(eventually([&] { return fixture.left_alone().empty(); }));
}

TEST_CASE(
    "a worker that is to stop while a bank hangs begins nothing more, even for threads that wait for their "
    "turn") {
  WorkingFixture fixture;
  constexpr unsigned kMore = 4;
  for (unsigned i = 0; i < RatePlan::kInFlightMax + kMore; ++i) {
    ReceiverAnswer silence;
    silence.never = true;
    fixture.bank.will_answer("GET /pix", silence);
    const auto id = fixture.create_paid(i + 1);
    fixture.ledger.execute(domain::RefundCharge{.caller = {fixture.ledger.project(), false},
                                                .charge = id,
                                                .amount = std::nullopt,
                                                .reason = std::nullopt});
  }
  const auto asked = [&] {
    const auto all = fixture.bank.asked();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), 'G'));
  };
  fixture.start();
  REQUIRE(eventually([&] { return asked() == RatePlan::kInFlightMax; }));
  fixture.worker->stop();
  CHECK(asked() == RatePlan::kInFlightMax);
}

TEST_CASE("a worker of a ledger that was restored begins anew, and one that is behind goes on") {
  WorkingFixture fixture;
  const auto id = fixture.create();
  fixture.follow();
  const auto here = *fixture.database.cursor();
  choose_start(fixture.database, fixture.ledger.log, fixture.ledger.logger);
  CHECK(fixture.database.cursor() == here);
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());

  auto elsewhere = here;
  SECTION("it is in another epoch") { elsewhere.log.epoch += 1; }
  SECTION("it ends before the cursor") { elsewhere.position = Position(1'000); }
  SECTION("it has another event there") { elsewhere.leaf_hash = {}; }
  fixture.database.apply({}, elsewhere);
  choose_start(fixture.database, fixture.ledger.log, fixture.ledger.logger);
  CHECK(fixture.database.cursor()->position == Position(0));
  CHECK(fixture.database.due(fixture.ledger.clock.now(), 10).empty());
  CHECK(fixture.database.banks().empty());
  // The open work is made again, and accounts are read as if for the first time.
  CHECK(fixture.work().id.about == domain::charge_stream(id));
  CHECK(fixture.database.banks().size() == 1);
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}
