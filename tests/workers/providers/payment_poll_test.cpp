#include "workers/providers/payment_poll.h"

#include <catch2/catch.hpp>

#include "tests/workers/providers/bank_fixture.h"
#include "workers/providers/poll_plan.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;
using domain::ChargeStatus;

namespace {

struct PollFixture : BankFixture {
  bool look(std::chrono::milliseconds back = 15min) {
    return poll.look({connection, ledger.project()}, back, BankPriority::kPoll);
  }
  bool stopping = false;
  const PaymentPoll poll{{.clock = ledger.clock,
                          .logger = agents_log.logger,
                          .banks = banks,
                          .database = database,
                          .intake = intake,
                          .is_stopping = [this] { return stopping; }}};
};

// How many times the account was asked for a page.
std::size_t pages_of(const FakeBank& bank) {
  const auto asked = bank.asked();
  std::size_t pages = 0;
  for (auto at = asked.find("GET /pix"); at != std::string::npos; at = asked.find("GET /pix", at + 1))
    ++pages;
  return pages;
}

}  // namespace

TEST_CASE("plans of polls are read, and what is none is refused") {
  const auto plan = PollPlan::parse("10s:15m,10m:24h,24h:100d");
  REQUIRE(plan);
  REQUIRE(plan->tiers().size() == 3);
  CHECK(plan->tiers()[0].every == 10s);
  CHECK(plan->tiers()[0].back == 15min);
  CHECK(plan->tiers()[2].every == 24h);
  CHECK(plan->tiers()[2].back == 24h * 100);
  for (const char* text : {"", "10s", "10s:", ":15m", "0s:15m", "10s:15", "10x:15m", "-1s:15m", "10s:401d",
                           "1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s"})
    CHECK_FALSE(PollPlan::parse(text));
}

TEST_CASE("all pages of an account are told, and its cursor moves after them") {
  PollFixture fixture;
  const auto one = fixture.create_with_code();
  const auto other = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(one, 1), 2, 0, 2));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(other, 2), 2, 1, 2));
  const auto before = fixture.ledger.clock.now();
  CHECK(fixture.look());
  CHECK(fixture.charge(one).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(other).status == ChargeStatus::kPaid);
  REQUIRE(fixture.database.looked_up_to(fixture.connection));
  // By the bank's clock, which is told by the second.
  CHECK(*fixture.database.looked_up_to(fixture.connection) >= before.plus_millis(-2'000));
}

TEST_CASE("a cursor stays where a page is missing, and the next look begins there") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 0, 2));
  CHECK_FALSE(fixture.look());
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  // What was shown is in the ledger already, and is told once.
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  const auto head = fixture.ledger.log.head().position;
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1));
  CHECK(fixture.look());
  CHECK(fixture.ledger.log.head().position == head);
}

TEST_CASE("whoever is to stop asks for no further page") {
  PollFixture fixture;
  fixture.stopping = true;
  CHECK_FALSE(fixture.look());
  CHECK(pages_of(fixture.bank) == 0);
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("a bank that has more pages than there can be is not asked for them all") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 200, fixture.page("", 0, 0, 1'000'000));
  CHECK_FALSE(fixture.look());
  CHECK(pages_of(fixture.bank) == 1);
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("many faults of one kind are one line, with their number") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  std::string payments = fixture.payment(id);
  for (int i = 0; i < 60; ++i) payments += R"(,{"endToEndId":"none"})";
  for (int i = 0; i < 30; ++i) payments += ",1";
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(payments, 91));
  CHECK(fixture.look());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 2);
  CHECK(fixture.agents_log.has(R"("payments":60)"));
  CHECK(fixture.agents_log.has(R"("payments":30)"));
}

TEST_CASE("a window with ten thousand payments or more is looked at by halves") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 10'001, 0, 101));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 3);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
}

TEST_CASE("a long window that the bank does not manage is looked at by halves, a short one again later") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 504, "");
  for (int half = 0; half < 2; ++half)
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(24h));
  CHECK(pages_of(fixture.bank) == 3);
  fixture.bank.will_answer("GET /pix", 504, "");
  CHECK_FALSE(fixture.look(15min));
  CHECK(pages_of(fixture.bank) == 4);
}

TEST_CASE("a later page of a long look is asked for again before all of it is") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look());
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 0, 2));
  fixture.bank.will_answer("GET /pix", 502, "");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 1, 2));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 4);
}

TEST_CASE("a payment of the future changes nothing, holds up nothing, and is read again in its time") {
  PollFixture fixture;
  const auto early = fixture.create_with_code();
  const auto usual = fixture.create_with_code();
  const auto claimed = fixture.ledger.clock.now().plus_millis(20 * kMinuteMs);
  const auto shown = fixture.payment(early, 1, claimed) + "," + fixture.payment(usual, 2);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 2));
  CHECK(fixture.look());
  CHECK(fixture.charge(early).status == ChargeStatus::kWaitingPayment);
  CHECK(fixture.charge(usual).status == ChargeStatus::kPaid);
  CHECK(fixture.database.looked_up_to(fixture.connection));
  CHECK(fixture.database.payments_due(fixture.ledger.clock.now(), 10).empty());
  const auto kept = fixture.database.payments_due(claimed, 10);
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().reason == projections::ReadReason::kInFuture);
  CHECK(kept.front().due_at == claimed.plus_millis(-domain::kPaymentAheadMsMax));
  // It is found again by each look, and kept once.
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 2));
  CHECK(fixture.look());
  CHECK(fixture.database.payments_due(claimed, 10).size() == 1);
}
