#include <catch2/catch.hpp>

#include "tests/stores/accounting/reconciled_shop.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::ReconcileOutcome;
using stores::Reconciliation;
using stores::ReturnMatch;
using stores::Statement;
using stores::StatementLine;
using stores::StatementReturn;
using Shop = ReconciledShop;

namespace {

std::vector<ReturnMatch> returns_of(const Reconciliation& result) {
  std::vector<ReturnMatch> matches;
  for (const auto& item : result.returns) matches.push_back(item.match);
  return matches;
}

}  // namespace

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
  // The bank has not sent it yet.
  auto under_way = back(4'000);
  under_way.is_done = false;
  CHECK(returns_of(of({under_way})) == std::vector{ReturnMatch::kPending});
  // The same return by its id, with another amount.
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
  // A payment that the shop made.
  back.names_return = false;
  const auto sent = of(back);
  CHECK(returns_of(sent) == std::vector{ReturnMatch::kMissingInStatement});
  CHECK(sent.ignored == 1);
}

TEST_CASE("a refund recorded over two payments matches returns that sum up to it") {
  Shop shop;
  const auto charge = shop.charge();
  for (const unsigned payment : {1, 2}) shop.pay(charge, payment, payment == 1 ? 6'000 : 4'000);
  for (const unsigned payment : {1, 2})
    shop.run(
        domain::AcceptUnappliedPayment{shop.project(), charge, sample_end_to_end_id(payment), payment == 2});
  shop.refund(charge, 7'000);
  const auto back = [&](unsigned payment, std::int64_t cents) {
    StatementReturn of{.line = 1,
                       .of_payment = std::nullopt,
                       .id = {},
                       .return_id = {},
                       .amount = domain::Cents(cents),
                       .at = shop.clock().now()};
    if (payment > 0) of.of_payment = sample_end_to_end_id(payment);
    return of;
  };
  const auto of = [&](std::vector<StatementReturn> returns, Statement::Returns which) {
    return shop.compare(Statement{.lines = {shop.line(1, 6'000), shop.line(2, 4'000)},
                                  .returns = std::move(returns),
                                  .has_returns = which});
  };
  using enum ReturnMatch;
  for (const auto which : {Statement::Returns::kOfPayments, Statement::Returns::kOfDays}) {
    const auto matches = [&](const std::vector<StatementReturn>& returns) {
      return returns_of(of(returns, which));
    };
    CHECK(matches({back(1, 6'000), back(2, 1'000)}) == std::vector{kMatched, kMatched});
    CHECK(matches({back(1, 3'000), back(2, 4'000)}) == std::vector{kMatched, kMatched});
    CHECK(matches({back(2, 4'000), back(1, 3'000)}) == std::vector{kMatched, kMatched});
    CHECK(matches({back(1, 1'000), back(1, 2'000), back(2, 4'000)}) ==
          std::vector{kMatched, kMatched, kMatched});
    CHECK(matches({back(1, 7'000)}) == std::vector{kMatched});
    CHECK(matches({back(1, 3'000), back(2, 3'999)}) ==
          std::vector{kMissingInLedger, kMissingInLedger, kMissingInStatement, kMissingInStatement});
    auto pending = back(2, 4'000);
    pending.is_done = false;
    CHECK(matches({back(1, 3'000), pending}) == std::vector{kMatched, kPending});
  }
  const auto whole = of({back(1, 7'000)}, Statement::Returns::kOfDays);
  CHECK(whole.outcome == ReconcileOutcome::kAgrees);
  CHECK(whole.returns.front().ledger_amount == domain::Cents(7'000));
  // By the refund's own id, and by amount and day.
  auto by_id = back(0, 7'000);
  by_id.names = {whole.returns.front().id};
  CHECK(returns_of(of({by_id}, Statement::Returns::kOfDays)) == std::vector{kMatched});
  CHECK(returns_of(of({back(0, 7'000)}, Statement::Returns::kOfDays)) == std::vector{kProbable});
  // A second refund: each sums up by itself, or both together.
  shop.refund(charge, 3'000);
  CHECK(returns_of(of({back(1, 7'000), back(2, 3'000)}, Statement::Returns::kOfDays)) ==
        std::vector{kMatched, kMatched});
  CHECK(returns_of(of({back(1, 5'500), back(2, 4'500)}, Statement::Returns::kOfDays)) ==
        std::vector{kMatched, kMatched});
}

TEST_CASE("a return that was only recorded is missing in a statement without it") {
  Shop shop;
  const auto other = shop.charge(), aside = shop.charge();
  shop.pay(other, 1);
  shop.pay(aside, 2, 9'990);
  shop.clock().advance_millis(kDayMs);
  shop.run(domain::ReturnUnappliedPayment{aside, sample_end_to_end_id(2), {}});
  const StatementReturn elsewhere{.line = 3,
                                  .of_payment = std::nullopt,
                                  .id = {},
                                  .return_id = {},
                                  .amount = domain::Cents(77),
                                  .at = shop.clock().now(),
                                  .names_return = false};
  const auto of = [&](std::vector<StatementReturn> returns, const stores::ReconcilePeriod& period = {}) {
    return shop.compare(Statement{.lines = {shop.line(1), shop.line(2, 9'990)},
                                  .returns = std::move(returns),
                                  .has_returns = Statement::Returns::kOfDays},
                        period);
  };
  const auto missing = of({elsewhere});
  CHECK(missing.outcome == ReconcileOutcome::kDiffers);
  REQUIRE(returns_of(missing) == std::vector{ReturnMatch::kMissingInStatement});
  CHECK(missing.returns.front().moved == false);
  CHECK(missing.returns.front().ledger_at == shop.clock().now());
  CHECK(of({}).outcome == ReconcileOutcome::kDiffers);
  // On the day of its record.
  CHECK(of({}, {.until = shop.clock().now()}).returns.empty());
  auto there = elsewhere;
  there.amount = domain::Cents(9'990);
  CHECK(returns_of(of({there})) == std::vector{ReturnMatch::kProbable});
  there.of_payment = sample_end_to_end_id(2);
  CHECK(of({there}).outcome == ReconcileOutcome::kAgrees);
}

TEST_CASE("a return among an account's debits is known by its own id, whatever its day and amount") {
  Shop shop;
  const auto charge = shop.charge();
  shop.pay(charge, 1);
  shop.refund(charge, 4'000);
  shop.clock().advance_millis(3 * kDayMs);
  const auto of = [&](const std::string& return_id, std::vector<std::string> names, std::int64_t cents) {
    return shop.compare(Statement{.lines = {},
                                  .returns = {{.line = 2,
                                               .of_payment = std::nullopt,
                                               .id = {},
                                               .return_id = return_id,
                                               .amount = domain::Cents(cents),
                                               .at = shop.clock().now(),
                                               .names_return = false,
                                               .names = std::move(names),
                                               .by_names_alone = true}},
                                  .has_returns = Statement::Returns::kOfDays},
                        {.from = shop.clock().now().plus_millis(-kDayMs)});
  };
  const auto listed = shop.compare(Statement{.has_returns = Statement::Returns::kOfDays}).returns;
  REQUIRE(listed.size() == 1);
  const auto id = listed.front().id;
  CHECK(returns_of(of(id, {}, 4'000)) == std::vector{ReturnMatch::kMatched});
  CHECK(returns_of(of("", {"rother", id}, 4'000)) == std::vector{ReturnMatch::kMatched});
  CHECK(returns_of(of(id, {}, 3'999)) == std::vector{ReturnMatch::kAmountDiffers});
  // A text that only resembles an id is not searched by amount and day.
  CHECK(of("", {"rother"}, 4'000).returns.empty());
  CHECK(of("", {"rother"}, 4'000).ignored == 1);
}

TEST_CASE("a return by the bank is known by the payments system's id") {
  Shop shop;
  const auto charge = shop.charge();
  shop.pay(charge, 1);
  const std::string name = "D18236120202603011200S1A2B3C4D5E";
  shop.run(domain::ReportReversal{.project = shop.project(),
                                  .charge = charge,
                                  .id = parsed<domain::RefundId>("d1"),
                                  .return_id = parsed<domain::ReturnId>(name),
                                  .amount = domain::Cents(4'000),
                                  .reversed_at = shop.clock().now()});
  StatementReturn back{.line = 2,
                       .of_payment = std::nullopt,
                       .id = {},
                       .return_id = name,
                       .amount = domain::Cents(4'000),
                       .at = shop.clock().now().plus_millis(kDayMs)};
  const auto of = [&](const StatementReturn& given) {
    return returns_of(
        shop.compare(Statement{.returns = {given}, .has_returns = Statement::Returns::kOfDays}));
  };
  CHECK(of(back) == std::vector{ReturnMatch::kMatched});
  back.amount = domain::Cents(3'999);
  CHECK(of(back) == std::vector{ReturnMatch::kAmountDiffers});
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
