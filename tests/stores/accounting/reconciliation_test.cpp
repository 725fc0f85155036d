#include <catch2/catch.hpp>

#include "tests/stores/accounting/reconciled_shop.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Environment;
using stores::Match;
using stores::ReconcileOutcome;
using stores::Statement;
using stores::StatementLine;
using Shop = ReconciledShop;

namespace {

using Matches = std::map<unsigned, Match>;

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

TEST_CASE("a payment that only one side has is missing on the other") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  CHECK(shop.matches({shop.line(2)}) ==
        Matches{{1, Match::kMissingInStatement}, {2, Match::kMissingInLedger}});
  // The same payment, but of another charge than in the statement.
  CHECK(shop.matches({shop.line(1, kCents, "cabcdefghijkl")}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("a payment is its charge's by the txid that its bank gave it") {
  Shop shop;
  const auto charge = shop.charge(), another = shop.charge();
  shop.pay(charge, 1);
  CHECK(shop.matches({shop.line(1, kCents, "p" + charge.text())}) == Matches{{1, Match::kMatched}});
  CHECK(shop.matches({shop.line(1, kCents, "p" + another.text())}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("payments before the statement's begin are not missing") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.clock().advance_millis(kDayMs);
  shop.pay(shop.charge(), 2);
  CHECK(shop.matches({}, {.from = shop.clock().now()}) == Matches{{2, Match::kMissingInStatement}});
  CHECK(shop.matches({}, {.until = shop.clock().now()}) == Matches{{1, Match::kMissingInStatement}});
}

TEST_CASE("without a given period it can be that of the statement's days") {
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
  // The other amount is shown.
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

TEST_CASE("only live money counts, unless the statement is of the sandbox") {
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
  CHECK(result.items.front().by == stores::MatchedBy::kTxid);
  CHECK(shop.compare({shop.nameless(kCents - 1, paid.text())}).items.front().match == Match::kAmountDiffers);
  // Paid at the bank, but not in the ledger.
  result = shop.compare({shop.nameless(kCents, paid.text()), shop.nameless(kCents, open.text())});
  CHECK(result.outcome == ReconcileOutcome::kDiffers);
  CHECK(result.items.back().match == Match::kMissingInLedger);
  CHECK(result.items.back().charge == open);
}

TEST_CASE("an unnamed payment is a probable match if one has its amount and day") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(), 2);
  auto result = shop.compare({shop.nameless(), shop.nameless()});
  CHECK(result.outcome == ReconcileOutcome::kProbablyAgrees);
  CHECK(result.count(Match::kProbable) == 2);
  CHECK(result.open() == 0);
  CHECK(result.items.front().by == stores::MatchedBy::kAmountAndDay);
  // One of three is left over, and one of the ledger is missing.
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

TEST_CASE("a payment that is found by its amount and day is open if it is not settled") {
  Shop shop;
  const auto late = shop.charge();
  shop.clock().advance_millis(kDayMs);
  shop.pay(late, 1);
  const auto result = shop.compare({shop.nameless()});
  CHECK(result.outcome == ReconcileOutcome::kDiffers);
  CHECK(result.items.front().match == Match::kLate);
}

TEST_CASE("a payment that cannot be compared is not missing") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  const auto result = shop.compare({shop.nameless(1), shop.nameless(2)});
  CHECK(result.outcome == ReconcileOutcome::kCannotCompare);
  CHECK(result.count(Match::kUnidentified) == 2);
  CHECK(result.count(Match::kNotCompared) == 1);
  CHECK(result.count(Match::kMissingInLedger) == 0);
  CHECK(result.count(Match::kMissingInStatement) == 0);
  CHECK(reason_of(result).find("no end-to-end id") != std::string::npos);
  // With one that has a name the missing ones are known.
  const auto named = shop.compare({shop.nameless(1), shop.line(2)});
  CHECK(named.outcome == ReconcileOutcome::kDiffers);
  CHECK(named.count(Match::kMissingInStatement) == 1);
}

TEST_CASE("credits not marked as Pix are left out if no payment matches") {
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

TEST_CASE("the period is the statement's own, extended by its lines") {
  Shop shop;
  const auto begin = shop.clock().now();
  shop.pay(shop.charge(), 1);
  shop.clock().advance_millis(3 * kDayMs);
  shop.pay(shop.charge(), 2);
  const auto later = shop.clock().now();
  Statement statement{.lines = {shop.line(2)}};
  statement.windows = {{begin, later.plus_millis(-kDayMs)}};
  const auto found = shop.compare(statement, {.is_the_statements = true});
  CHECK(found.period_by == stores::PeriodBy::kStatement);
  CHECK(found.period.from == begin);
  CHECK(found.period.contains(later));
  CHECK(found.outcome == ReconcileOutcome::kDiffers);
  CHECK(found.count(Match::kMissingInStatement) == 1);
  // A statement without a period has its lines' days.
  statement.windows.clear();
  const auto by_lines = shop.compare(statement, {.is_the_statements = true});
  CHECK(by_lines.period_by == stores::PeriodBy::kLines);
  CHECK(by_lines.outcome == ReconcileOutcome::kAgrees);
  CHECK(shop.compare(statement).period_by == stores::PeriodBy::kLedger);
  CHECK(shop.compare(statement, {.from = later}).period_by == stores::PeriodBy::kGiven);
}

TEST_CASE("the time between the windows of a statement is a gap, in which no payment counts as missing") {
  Shop shop;
  const auto begin = shop.clock().now();
  shop.clock().advance_millis(3 * kDayMs);
  shop.pay(shop.charge(), 1);
  const auto at = [&](std::int64_t days) { return begin.plus_millis(days * kDayMs); };
  Statement statement;
  statement.windows = {{at(4), at(5)}, {at(0), at(2)}};
  const auto found = shop.compare(statement);
  CHECK(found.outcome == ReconcileOutcome::kDiffers);
  REQUIRE(found.gaps.size() == 1);
  CHECK(found.gaps.front().from == at(2));
  CHECK(found.gaps.front().until == at(4));
  CHECK(found.open() == 1);
  CHECK(found.count(Match::kNotCompared) == 1);
  // Windows that overlap or touch have none between them, nor does a period that lies in one of them.
  statement.windows = {{at(0), at(3).plus_millis(-1'000)}, {at(3), at(5)}, {at(1), at(4)}};
  CHECK(shop.compare(statement).gaps.empty());
  CHECK(shop.compare(statement).count(Match::kMissingInStatement) == 1);
  statement.windows = {{at(0), at(2)}, {at(4), at(5)}};
  CHECK(shop.compare(statement, {.until = at(2)}).outcome == ReconcileOutcome::kAgrees);
}

TEST_CASE("a statement without a line in the requested period cannot be compared") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  const stores::ReconcilePeriod later{.from = shop.clock().now().plus_millis(kDayMs)};
  const auto found = shop.compare({shop.line(1)}, later);
  CHECK(found.outcome == ReconcileOutcome::kCannotCompare);
  CHECK(found.why_not == stores::NotComparable::kOutOfPeriod);
  CHECK(reason_of(found).find("No line of the statement lies in the period: they are of 2026-") !=
        std::string::npos);
  // A statement that states those days has no payment of them.
  Statement statement{.lines = {shop.line(1)}};
  statement.windows = {{shop.clock().now(), shop.clock().now().plus_millis(3 * kDayMs)}};
  CHECK(shop.compare(statement, later).outcome == ReconcileOutcome::kAgrees);
  statement.windows.front().until = *later.from;
  CHECK(shop.compare(statement, later).outcome == ReconcileOutcome::kCannotCompare);
}
