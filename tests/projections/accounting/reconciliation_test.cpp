#include "projections/accounting/reconciliation.h"

#include <catch2/catch.hpp>
#include <map>

#include "eventstore/executor/executor.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Environment;
using projections::Match;
using projections::ReconcileOutcome;
using projections::Reconciliation;
using projections::ReturnMatch;
using projections::Statement;
using projections::StatementLine;
using projections::StatementReturn;

namespace {

constexpr std::int64_t kCents = 10'000;

// A project with charges and payments of every kind.
class Shop {
 public:
  Shop() {
    auto completed = run(domain::CreateProject{sample_settings()});
    project_ = completed.events().front().project;
  }

  domain::ChargeId charge(Environment environment = Environment::kLive) {
    auto creation = sample_creation(environment);
    creation.project = project();
    return parsed<domain::ChargeId>(run(creation).events().back().stream.key());
  }
  void pay(const domain::ChargeId& charge, unsigned payment, std::int64_t cents = kCents) {
    run(domain::ReportPayment{project(), charge, sample_end_to_end_id(payment), domain::Cents(cents), {}});
  }
  void refund(const domain::ChargeId& charge, std::int64_t cents) {
    run(domain::RefundCharge{{project(), false}, charge, domain::Cents(cents), std::nullopt});
  }
  eventstore::Completed run(domain::Command command) {
    auto completed = std::get<eventstore::Completed>(
        executor_.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt}));
    REQUIRE(completed.outcome.done());
    return completed;
  }
  const domain::ProjectId& project() const { return *project_; }
  FixedClock& clock() { return clock_; }

  StatementLine line(unsigned payment, std::int64_t cents = kCents, std::string txid = "") {
    return {++lines_, sample_end_to_end_id(payment), domain::Cents(cents), clock_.now(), std::move(txid)};
  }
  // What names no payment.
  StatementLine nameless(std::int64_t cents = kCents, std::string txid = "") {
    return {++lines_, std::nullopt, domain::Cents(cents), clock_.now(), std::move(txid)};
  }
  Reconciliation compare(Statement statement, const projections::ReconcilePeriod& period = {},
                         std::size_t payments_max = SIZE_MAX) {
    const auto as_of = log_.head().position;
    projections::LoggedProjectEvents events(log_, project(), as_of);
    projections::Reconciler reconciler(log_, events,
                                       {.project = project(),
                                        .as_of = as_of,
                                        .period = period,
                                        .zone = parsed<eventstore::TimeZone>("America/Sao_Paulo"),
                                        .payments_max = payments_max},
                                       std::move(statement));
    while (reconciler.look()) continue;
    return reconciler.take();
  }
  Reconciliation compare(const std::vector<StatementLine>& lines,
                         const projections::ReconcilePeriod& period = {}) {
    return compare(Statement{.lines = lines}, period);
  }
  // What became of each payment; those that are in the statement twice have the last one's.
  std::map<unsigned, Match> matches(const std::vector<StatementLine>& statement,
                                    const projections::ReconcilePeriod& period = {}) {
    std::map<unsigned, Match> found;
    for (const auto& item : compare(statement, period).items) {
      for (unsigned payment = 1; payment < 20; ++payment) {
        if (sample_end_to_end_id(payment) == item.end_to_end_id) found[payment] = item.match;
      }
    }
    return found;
  }

 private:
  FixedClock clock_{kStart};
  SeededEntropy entropy_{1};
  eventstore::MemoryLog log_{{"000102030405060708090a0b0c0d0e0f", 1}};
  eventstore::Executor executor_{log_, clock_, entropy_};
  std::optional<domain::ProjectId> project_;
  std::size_t lines_ = 1;
};

using Matches = std::map<unsigned, Match>;

domain::EndToEndId in_capitals(const domain::EndToEndId& id) {
  auto text = id.text();
  for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return parsed<domain::EndToEndId>(text);
}

std::vector<ReturnMatch> returns_of(const Reconciliation& result) {
  std::vector<ReturnMatch> matches;
  for (const auto& item : result.returns) matches.push_back(item.match);
  return matches;
}

}  // namespace

TEST_CASE("a statement and a ledger that agree leave nothing open") {
  Shop shop;
  const auto first = shop.charge();
  shop.pay(first, 1);
  shop.pay(shop.charge(), 2);
  const auto result = shop.compare({shop.line(1, kCents, first.text()), shop.line(2)});
  CHECK(result.outcome == ReconcileOutcome::kAgrees);
  CHECK(result.count(Match::kMatched) == 2);
  CHECK(shop.matches({}) == Matches{{1, Match::kMissingInStatement}, {2, Match::kMissingInStatement}});
  CHECK(shop.compare(std::vector<StatementLine>()).outcome == ReconcileOutcome::kDiffers);
}

TEST_CASE("what only one side has is missing on the other") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  CHECK(shop.matches({shop.line(2)}) ==
        Matches{{1, Match::kMissingInStatement}, {2, Match::kMissingInLedger}});
  // The same payment, but of another charge than the statement says.
  CHECK(shop.matches({shop.line(1, kCents, "cabcdefghijkl")}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("a payment is its charge's by the txid that its bank gave it") {
  Shop shop;
  const auto charge = shop.charge(), another = shop.charge();
  shop.pay(charge, 1);
  CHECK(shop.matches({shop.line(1, kCents, "p" + charge.text())}) == Matches{{1, Match::kMatched}});
  CHECK(shop.matches({shop.line(1, kCents, "p" + another.text())}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("payments before the statement begins are not missed") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.clock().advance_millis(kDayMs);
  shop.pay(shop.charge(), 2);
  CHECK(shop.matches({}, {.from = shop.clock().now()}) == Matches{{2, Match::kMissingInStatement}});
  CHECK(shop.matches({}, {.until = shop.clock().now()}) == Matches{{1, Match::kMissingInStatement}});
}

TEST_CASE("where nobody names a period it can be that of the statement's days") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.clock().advance_millis(3 * kDayMs);
  shop.pay(shop.charge(), 2);
  shop.pay(shop.charge(), 3);
  CHECK(shop.matches({shop.line(2)}, {.is_the_statements = true}) ==
        Matches{{2, Match::kMatched}, {3, Match::kMissingInStatement}});
}

TEST_CASE("another amount is open, whether the statement or the charge has it") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(), 2, 9'000);
  CHECK(shop.matches({shop.line(1, 9'999), shop.line(2, 9'000)}) ==
        Matches{{1, Match::kAmountDiffers}, {2, Match::kAmountDiffers}});
  // What it differs from is shown.
  const auto of_charge = shop.compare({shop.line(2, 9'000)}).items.front();
  CHECK(of_charge.statement_amount == of_charge.ledger_amount);
  CHECK(of_charge.charge_amount == domain::Cents(kCents));
}

TEST_CASE("money that came late or twice is open until it is settled") {
  Shop shop;
  const auto late = shop.charge();
  const auto twice = shop.charge();
  shop.pay(twice, 1);
  shop.pay(twice, 2);
  shop.clock().advance_millis(kDayMs);
  shop.pay(late, 3);
  const std::vector<StatementLine> statement = {shop.line(1), shop.line(2), shop.line(3)};
  CHECK(shop.matches(statement) == Matches{{1, Match::kMatched}, {2, Match::kDoubled}, {3, Match::kLate}});
  shop.run(domain::AcceptUnappliedPayment{shop.project(), late, sample_end_to_end_id(3)});
  shop.run(domain::ReturnUnappliedPayment{twice, sample_end_to_end_id(2), {}});
  CHECK(shop.matches(statement) == Matches{{1, Match::kMatched}, {2, Match::kMatched}, {3, Match::kMatched}});
}

TEST_CASE("a payment that is in the statement twice is doubled") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  CHECK(shop.matches({shop.line(1), shop.line(1)}) == Matches{{1, Match::kDoubled}});
  CHECK(shop.matches({shop.line(2), shop.line(2)})[2] == Match::kDoubled);
}

TEST_CASE("only money counts, but where the statement is of the sandbox") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(Environment::kSandbox), 2);
  shop.pay(shop.charge(Environment::kSandbox), 3);
  CHECK(shop.matches({shop.line(1)}) == Matches{{1, Match::kMatched}});
  CHECK(shop.matches({shop.line(2)}) == Matches{{2, Match::kMatched}, {3, Match::kMissingInStatement}});
}

TEST_CASE("another project's payments are not this one's") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  const auto other = shop.run(domain::CreateProject{sample_settings()}).events().front().project;
  auto creation = sample_creation(Environment::kLive);
  creation.project = other;
  const auto charge = parsed<domain::ChargeId>(shop.run(creation).events().back().stream.key());
  shop.run(domain::ReportPayment{other, charge, sample_end_to_end_id(2), domain::Cents(kCents), {}});
  CHECK(shop.matches({shop.line(1), shop.line(2)}) ==
        Matches{{1, Match::kMatched}, {2, Match::kMissingInLedger}});
}

TEST_CASE("an id that a bank wrote in capitals is found") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  auto line = shop.line(1);
  line.end_to_end_id = in_capitals(sample_end_to_end_id(1));
  const auto result = shop.compare({line});
  CHECK(result.outcome == ReconcileOutcome::kAgrees);
  CHECK(result.items.front().end_to_end_id == sample_end_to_end_id(1));
}

TEST_CASE("a payment without an id is found by the txid of its charge") {
  Shop shop;
  const auto paid = shop.charge(), open = shop.charge();
  shop.pay(paid, 1);
  auto result = shop.compare({shop.nameless(kCents, "P" + paid.text())});
  CHECK(result.outcome == ReconcileOutcome::kAgrees);
  CHECK(result.items.front().by == projections::MatchedBy::kTxid);
  CHECK(shop.compare({shop.nameless(kCents - 1, paid.text())}).items.front().match == Match::kAmountDiffers);
  // The bank has it as paid, and the ledger does not.
  result = shop.compare({shop.nameless(kCents, paid.text()), shop.nameless(kCents, open.text())});
  CHECK(result.outcome == ReconcileOutcome::kDiffers);
  CHECK(result.items.back().match == Match::kMissingInLedger);
  CHECK(result.items.back().charge == open);
}

TEST_CASE("a payment that nothing names is probable where one has its amount and day") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(), 2);
  auto result = shop.compare({shop.nameless(), shop.nameless()});
  CHECK(result.outcome == ReconcileOutcome::kProbablyAgrees);
  CHECK(result.count(Match::kProbable) == 2);
  CHECK(result.open() == 0);
  CHECK(result.items.front().by == projections::MatchedBy::kAmountAndDay);
  // One of three is left over, and one of the ledger is not there.
  result = shop.compare({shop.nameless(), shop.nameless(), shop.nameless()});
  CHECK(result.outcome == ReconcileOutcome::kDiffers);
  CHECK(result.count(Match::kUnidentified) == 1);
  CHECK(result.count(Match::kMissingInLedger) == 0);
  CHECK(shop.compare({shop.nameless()}).count(Match::kMissingInStatement) == 1);
}

TEST_CASE("a day is that of the zone") {
  Shop shop;
  // 23:30 in São Paulo, and the next day in UTC.
  shop.clock().advance_millis((14 * 60 + 30) * kMinuteMs);
  shop.pay(shop.charge(), 1);
  auto line = shop.nameless();
  line.paid_at = kStart;
  CHECK(shop.compare({line}).count(Match::kProbable) == 1);
  line.paid_at = kStart.plus_millis(kDayMs);
  CHECK(shop.compare({line}).count(Match::kProbable) == 0);
}

TEST_CASE("a payment that is found by its amount and day is open where it is not settled") {
  Shop shop;
  const auto late = shop.charge();
  shop.clock().advance_millis(kDayMs);
  shop.pay(late, 1);
  const auto result = shop.compare({shop.nameless()});
  CHECK(result.outcome == ReconcileOutcome::kDiffers);
  CHECK(result.items.front().match == Match::kLate);
}

TEST_CASE("what cannot be compared is not missing") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  const auto result = shop.compare({shop.nameless(1), shop.nameless(2)});
  CHECK(result.outcome == ReconcileOutcome::kCannotCompare);
  CHECK(result.count(Match::kUnidentified) == 2);
  CHECK(result.count(Match::kNotCompared) == 1);
  CHECK(result.count(Match::kMissingInLedger) == 0);
  CHECK(result.count(Match::kMissingInStatement) == 0);
  CHECK(reason_of(result).find("no end-to-end id") != std::string::npos);
  // With one that has a name it is known which are not there.
  const auto named = shop.compare({shop.nameless(1), shop.line(2)});
  CHECK(named.outcome == ReconcileOutcome::kDiffers);
  CHECK(named.count(Match::kMissingInStatement) == 1);
}

TEST_CASE("credits that do not say that they are Pix are left out where none fits") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  auto alike = shop.nameless(), other = shop.nameless(77);
  alike.names_pix = other.names_pix = false;
  const auto result = shop.compare({alike, other});
  CHECK(result.outcome == ReconcileOutcome::kProbablyAgrees);
  CHECK(result.ignored == 1);
}

TEST_CASE("more payments than may be compared are not compared") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(), 2);
  const auto result = shop.compare(Statement{.lines = {shop.line(1)}}, {}, 1);
  CHECK(result.outcome == ReconcileOutcome::kCannotCompare);
  CHECK(reason_of(result).find("fewer days") != std::string::npos);
}

TEST_CASE("returns of the statement's payments are compared in both directions") {
  Shop shop;
  const auto charge = shop.charge();
  shop.pay(charge, 1);
  shop.refund(charge, 4'000);
  const auto back = [&](std::int64_t cents, const std::string& id = "") {
    return StatementReturn{.line = 1,
                           .of_payment = sample_end_to_end_id(1),
                           .id = id,
                           .return_id = {},
                           .amount = domain::Cents(cents),
                           .at = shop.clock().now()};
  };
  const auto of = [&](std::vector<StatementReturn> returns) {
    return shop.compare(Statement{.lines = {shop.line(1)},
                                  .returns = std::move(returns),
                                  .has_returns = Statement::Returns::kOfPayments});
  };
  const auto agreed = of({back(4'000)});
  CHECK(agreed.outcome == ReconcileOutcome::kAgrees);
  CHECK(agreed.returns_compared);
  CHECK(agreed.returns.front().charge == charge);
  const auto missing = of({});
  CHECK(missing.outcome == ReconcileOutcome::kDiffers);
  CHECK(returns_of(missing) == std::vector{ReturnMatch::kMissingInStatement});
  CHECK(missing.returns.front().moved == false);
  CHECK(returns_of(of({back(4'000), back(1'000)})) ==
        std::vector{ReturnMatch::kMatched, ReturnMatch::kMissingInLedger});
  // By the id it is the same one, with another amount.
  const auto id = agreed.returns.front().id;
  REQUIRE_FALSE(id.empty());
  CHECK(returns_of(of({back(3'999, id)})) == std::vector{ReturnMatch::kAmountDiffers});
}

TEST_CASE("returns among an account's debits are compared by their names, or by amount and day") {
  Shop shop;
  const auto charge = shop.charge();
  shop.pay(charge, 1);
  shop.refund(charge, 4'000);
  StatementReturn back{.line = 2,
                       .of_payment = std::nullopt,
                       .id = {},
                       .return_id = {},
                       .amount = domain::Cents(4'000),
                       .at = shop.clock().now()};
  const auto of = [&](const StatementReturn& given) {
    return shop.compare(
        Statement{.lines = {shop.line(1)}, .returns = {given}, .has_returns = Statement::Returns::kOfDays});
  };
  CHECK(returns_of(of(back)) == std::vector{ReturnMatch::kProbable});
  CHECK(of(back).outcome == ReconcileOutcome::kProbablyAgrees);
  back.of_payment = in_capitals(sample_end_to_end_id(1));
  CHECK(returns_of(of(back)) == std::vector{ReturnMatch::kMatched});
  back.of_payment.reset();
  back.amount = domain::Cents(1);
  CHECK(returns_of(of(back)) == std::vector{ReturnMatch::kUnidentified, ReturnMatch::kMissingInStatement});
  // A payment that the shop made to somebody.
  back.names_return = false;
  const auto sent = of(back);
  CHECK(returns_of(sent) == std::vector{ReturnMatch::kMissingInStatement});
  CHECK(sent.ignored == 1);
}

TEST_CASE("a statement without returns says that they are not compared") {
  Shop shop;
  const auto charge = shop.charge();
  shop.pay(charge, 1);
  shop.refund(charge, 4'000);
  const auto result = shop.compare({shop.line(1)});
  CHECK_FALSE(result.returns_compared);
  CHECK(result.returns_of_ledger == 1);
  CHECK(result.outcome == ReconcileOutcome::kAgrees);
}
