#include <catch2/catch.hpp>

#include "projections/generations/generation.h"
#include "projections/generations/projector.h"
#include "projections/views/charge_sums.h"
#include "projections/views/feed_reader.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

// A project with two bank accounts, and payments to them.
class Arrivals {
 public:
  Arrivals() {
    for (const unsigned number : {1U, 2U}) {
      auto bank = sample_bank_connection(numbered("banco", number, 7), domain::Environment::kLive);
      bank.id = sample_bank_id(number);
      bank.project = ledger.project();
      ledger.execute(bank);
    }
  }

  void arrive(unsigned payment, unsigned bank) {
    ledger.execute(domain::RecordUnmatchedPayment{.project = ledger.project(),
                                                  .connection = sample_bank_id(bank),
                                                  .end_to_end_id = sample_end_to_end_id(payment),
                                                  .amount = domain::Cents(990),
                                                  .paid_at = ledger.clock.now(),
                                                  .txid = std::nullopt,
                                                  .reason = domain::UnmatchedReason::kNoTxid});
  }
  domain::RefundId send_back(unsigned payment) {
    const auto completed = ledger.execute(domain::ClosePayment{
        ledger.project(), sample_end_to_end_id(payment), true, parsed<domain::Label>("not ours")});
    const auto& event = std::get<domain::PaymentEvent>(completed.events().back().event);
    return std::get<domain::PaymentReturnRequested>(event).id;
  }
  std::unique_ptr<projections::Generation> build(const std::string& name) const {
    auto options = one_gigabyte();
    options.sync = false;
    return projections::Generation::open_or_build(ledger.directory.path() / name, ledger.log, options);
  }

  LedgerInMemory ledger;
};

std::string numbered_id(unsigned number) { return sample_bank_id(number).text(); }

}  // namespace

TEST_CASE(
    "the read models count the open unmatched payments of each connection, whatever batch they came in") {
  Arrivals arrivals;
  const auto followed = arrivals.build("followed");
  const auto counts = [&] {
    projections::Projector projector(followed->database(), arrivals.ledger.log);
    REQUIRE(projector.wait_applied(arrivals.ledger.log.head().position, std::chrono::seconds(30)));
    const auto at_once =
        arrivals.build("built-" + std::to_string(arrivals.ledger.log.head().position.value()));
    CHECK(at_once->database().unmatched_payments() == followed->database().unmatched_payments());
    return followed->database().unmatched_payments();
  };
  CHECK(counts().empty());
  arrivals.arrive(1, 1);
  arrivals.arrive(2, 1);
  arrivals.arrive(3, 2);
  CHECK(counts() == Counts{{numbered_id(1), 2}, {numbered_id(2), 1}});

  const auto id = arrivals.send_back(3);
  CHECK(counts() == Counts{{numbered_id(1), 2}});
  arrivals.ledger.execute(domain::FailPaymentReturn{sample_end_to_end_id(3), id, std::nullopt});
  CHECK(counts() == Counts{{numbered_id(1), 2}, {numbered_id(2), 1}});
  const auto again = arrivals.send_back(3);
  arrivals.ledger.execute(
      domain::SettlePaymentReturn{sample_end_to_end_id(3), again, arrivals.ledger.clock.now()});
  arrivals.ledger.execute(
      domain::ClosePayment{arrivals.ledger.project(), sample_end_to_end_id(1), false, std::nullopt});
  CHECK(counts() == Counts{{numbered_id(1), 1}});
}

TEST_CASE(
    "the read models sum what a project has of open unmatched payments, less what went back by itself") {
  Arrivals arrivals;
  const auto& project = arrivals.ledger.project();
  const auto sum = [&](domain::Environment environment) {
    const auto views = arrivals.build("built-" + std::to_string(arrivals.ledger.log.head().position.value()) +
                                      std::string(domain::to_string(environment)));
    const auto read = projections::read_unmatched_sum(views->database(), project, environment);
    return std::to_string(read.count) + " " + std::to_string(read.cents);
  };
  CHECK(sum(domain::Environment::kLive) == "0 0");
  arrivals.arrive(1, 1);
  arrivals.arrive(2, 2);
  CHECK(sum(domain::Environment::kLive) == "2 1980");
  CHECK(sum(domain::Environment::kSandbox) == "0 0");
  arrivals.ledger.execute(domain::ReportUnmatchedReversal{
      .end_to_end_id = sample_end_to_end_id(1),
      .id = parsed<domain::RefundId>("med1"),
      .return_id = parsed<domain::ReturnId>("D1823612020260301120000000000001"),
      .amount = domain::Cents(90),
      .reversed_at = arrivals.ledger.clock.now()});
  CHECK(sum(domain::Environment::kLive) == "2 1890");
  arrivals.ledger.execute(domain::ClosePayment{project, sample_end_to_end_id(2), false, std::nullopt});
  CHECK(sum(domain::Environment::kLive) == "1 900");
}

TEST_CASE("webhooks do not tell merchants of unmatched payments") {
  Arrivals arrivals;
  const auto before = arrivals.ledger.log.head().position;
  arrivals.arrive(1, 1);
  const auto views = arrivals.build("views");
  const auto page = projections::read_feed(
      views->database(), {.project = arrivals.ledger.project(), .after = before, .limit = 10});
  CHECK(page.positions.empty());
}
