#include <catch2/catch.hpp>

#include "tests/workers/providers/bank_fixture.h"
#include "workers/providers/payment_poll.h"
#include "workers/providers/payment_readers.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using domain::ChargeStatus;
using projections::PaymentToRead;
using projections::ReadReason;

namespace {

struct ReaderFixture : BankFixture {
  void keep(unsigned payment = 1) {
    const auto now = ledger.clock.now();
    database.keep_payments(connection, {sample_end_to_end_id(payment)}, ReadReason::kCalledBack, now, now);
  }
  // Whatever waits, however long it has to.
  std::vector<PaymentToRead> kept() const {
    return database.payments_due(ledger.clock.now().plus_millis(365 * kDayMs), 10);
  }
  void read() { reader.read(kept().front()); }

  const PaymentReader reader{{.clock = ledger.clock,
                              .logger = ledger.logger,
                              .banks = banks,
                              .database = database,
                              .intake = intake}};
};

}  // namespace

TEST_CASE("a payment that a bank has called back about is read there, and counts") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.kept().empty());
}

TEST_CASE("a payment that the bank does not know is asked for three times more, and then left to the polls") {
  ReaderFixture fixture;
  fixture.keep();
  for (const std::int64_t pause_ms : {2'000, 10'000, 60'000}) {
    const auto before = fixture.ledger.clock.now();
    fixture.read();
    REQUIRE(fixture.kept().size() == 1);
    const auto waits_ms = fixture.kept().front().due_at.millis() - before.millis();
    CHECK(waits_ms >= pause_ms);
    CHECK(waits_ms < pause_ms + kMinuteMs);
  }
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.bank.asked() == "GET /pix, GET /pix, GET /pix, GET /pix");
}

TEST_CASE("a payment that is not shown for now stays, also one that cannot be read") {
  for (const int status : {500, 403, 200}) {
    ReaderFixture fixture;
    fixture.keep();
    fixture.bank.will_answer("GET /pix", status, "{}");
    fixture.read();
    REQUIRE(fixture.kept().size() == 1);
    CHECK(fixture.kept().front().attempts == 1);
  }
}

TEST_CASE("another payment than the one asked for is not used") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep(2);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
}

TEST_CASE("a payment that the bank tells of again while it is read is read again") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  const auto in_reading = fixture.kept().front();
  fixture.keep();  // of its devolução, say, which the answer under way does not have
  for (int i = 0; i < 2; ++i) fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.reader.read(in_reading);
  REQUIRE(fixture.kept().size() == 1);
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.bank.asked() == "GET /pix, GET /pix");
}

TEST_CASE("a payment whose time comes is recorded then") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  const auto claimed = fixture.ledger.clock.now().plus_millis(kDayMs);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1, claimed));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
  REQUIRE(fixture.kept().size() == 1);
  CHECK(fixture.kept().front().reason == ReadReason::kInFuture);
  // The callback has kept it before it was read, and it is told all the same, once.
  constexpr const char* kAhead = "a payment at the bank claims the future and waits for its time";
  CHECK(fixture.agents_log.lines_with(kAhead) == 1);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1, claimed));
  fixture.read();
  CHECK(fixture.agents_log.lines_with(kAhead) == 1);
  // Once the clocks agree.
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.kept().empty());
}

TEST_CASE("a return that the ledger refuses is open work until it is taken, and holds up nothing") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  const auto returned = [&](std::int64_t ahead_ms) {
    return fixture.payment(id, 1, std::nullopt,
                           R"({"id":"MED1","valor":"1.00","status":"DEVOLVIDO","horario":{"liquidacao":")" +
                               domain::to_iso8601(fixture.ledger.clock.now().plus_millis(ahead_ms)) +
                               R"("}})");
  };
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(returned(60 * kMinuteMs), 1));
  const PaymentPoll poll{{.clock = fixture.ledger.clock,
                          .logger = fixture.ledger.logger,
                          .banks = fixture.banks,
                          .database = fixture.database,
                          .intake = fixture.intake,
                          .is_stopping = [] { return false; }}};
  CHECK(poll.look({fixture.connection, fixture.ledger.project()},
                  {.every = std::chrono::seconds(10), .back = std::chrono::minutes(15)},
                  BankPriority::kPoll));
  CHECK(fixture.database.looked_up_to(fixture.connection));
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  REQUIRE(fixture.kept().size() == 1);
  CHECK(fixture.kept().front().reason == ReadReason::kRefused);
  fixture.bank.will_answer("GET /pix", 200, returned(60 * kMinuteMs));
  fixture.read();
  REQUIRE(fixture.kept().size() == 1);
  fixture.bank.will_answer("GET /pix", 200, returned(0));
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.charge(id).refunded == domain::Cents(100));
}
