// Further payments added to a paid charge, and the returns of each.
#include <catch2/catch.hpp>

#include "domain/aggregates/charge.h"
#include "domain/decisions/decide.h"
#include "domain/rules/event_rules.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

NewEvent aside(unsigned payment, std::int64_t cents, Timestamp at = kStart) {
  const auto flag = payment == 1 ? PaymentFlag::kAmountMismatch : PaymentFlag::kDuplicatePayment;
  return on_charge(PaymentLeftUnapplied{sample_end_to_end_id(payment), Cents(cents), at, flag});
}

NewEvent a_charge(bool through_bank) {
  auto created = sample_charge(Environment::kLive);
  created.through_bank = through_bank;
  return on_charge(created);
}

// A charge of 100.00, paid by payment 1 of 60.00; payments 2 of 40.00 and 3 of 25.00 are unapplied.
Given paid_in_part(bool through_bank = true) {
  return given({on_project(sample_project()), a_charge(through_bank), aside(1, 6'000),
                on_charge(UnappliedPaymentAccepted{sample_end_to_end_id(1), Cents(60)}), aside(2, 4'000),
                aside(3, 2'500)});
}

AcceptUnappliedPayment add(unsigned payment) {
  return {sample_project_id(), sample_charge_id(), sample_end_to_end_id(payment), true};
}

Given paid_by_two(bool through_bank = true) { return paid_in_part(through_bank).when(add(2)).then(); }

RefundCharge refund(std::optional<std::int64_t> cents = std::nullopt) {
  RefundCharge command{merchant(), sample_charge_id(), std::nullopt, std::nullopt};
  if (cents) command.amount = Cents(*cents);
  return command;
}

ReportReversal reversal(unsigned payment, std::int64_t cents, unsigned number) {
  return {.project = sample_project_id(),
          .charge = sample_charge_id(),
          .id = parsed<RefundId>("med1"),  // banks number the returns of each payment
          .return_id = parsed<ReturnId>("D182361202026030112000000000000" + std::to_string(number)),
          .amount = Cents(cents),
          .reversed_at = kStart,
          .end_to_end_id = sample_end_to_end_id(payment)};
}

Charge charge_in(const World& world) { return *world.find<Charge>(charge_stream(sample_charge_id())); }

std::vector<RefundRequested> requested_in(const Then& then) {
  std::vector<RefundRequested> requested;
  for (const auto& event : then.decision().events)
    requested.push_back(std::get<RefundRequested>(std::get<ChargeEvent>(event.event)));
  return requested;
}

// Settles all pending refunds.
World settled(const Then& then) {
  auto world = then.world();
  for (const auto& refund : charge_in(world).refund_list)
    if (refund.status == RefundStatus::kPending)
      REQUIRE(world.execute(SettleRefund{sample_charge_id(), refund.id, kStart}).outcome.done());
  return world;
}

}  // namespace

TEST_CASE("a second payment is added to the charge's, with a fee of its own") {
  const auto added = paid_in_part().when(add(2));
  added.done().records({on_charge(UnappliedPaymentAdded{sample_end_to_end_id(2), Cents(50)})});
  const auto charge = charge_in(added.world());
  CHECK(charge.status == ChargeStatus::kPaid);
  CHECK(charge.payment->end_to_end_id == sample_end_to_end_id(1));
  CHECK(charge.payment->amount == Cents(10'000));
  CHECK(charge.payment->fee == Cents(110));
  REQUIRE(charge.unapplied.size() == 1);
  const auto payments = counted_payments(charge);
  REQUIRE(payments.size() == 2);
  CHECK(payments[0].payment.amount == Cents(6'000));
  CHECK(payments[0].payment.fee == Cents(60));
  CHECK(payments[1].payment.amount == Cents(4'000));
  CHECK(payments[1].payment.fee == Cents(50));
  CHECK(has_payment(charge, sample_end_to_end_id(2)));
}

TEST_CASE("a repeated addition changes nothing") {
  const auto added = paid_in_part().when(add(2)).then();
  added.when(add(2)).done().records_nothing();
  added.when(add(1)).done().records_nothing();
  auto report = sample_report(2, 4'000);
  added.when(report).done().records_nothing();
  added.when(sample_report(2, 4'001)).refused(Rejection::kEndToEndIdTaken);
}

TEST_CASE("a payment that is being returned, was returned or is not the charge's is not added") {
  const ReturnUnappliedPayment by_hand{sample_charge_id(), sample_end_to_end_id(2), std::nullopt};
  auto by_bank = by_hand;
  by_bank.send_back = true;
  paid_in_part().when(by_hand).then().when(add(2)).refused(Rejection::kPaymentNotFound).records_nothing();
  paid_in_part().when(by_bank).then().when(add(2)).refused(Rejection::kPaymentGoesBack).records_nothing();
  paid_in_part().when(add(9)).refused(Rejection::kPaymentNotFound).records_nothing();
}

TEST_CASE(
    "nothing is added to a charge that is not paid, whose money has gone back, or that has four payments") {
  given({on_project(sample_project()), a_charge(true), aside(1, 6'000)})
      .when(add(1))
      .refused(Rejection::kTransactionStatus)
      .records_nothing();
  const auto refunded = paid_in_part(false).when(refund()).then();
  refunded.when(add(2)).refused(Rejection::kTransactionStatus).records_nothing();
  const auto four =
      paid_by_two().when(add(3)).then().and_given({aside(4, 1), aside(5, 1)}).when(add(4)).done().then();
  four.when(add(5)).refused(Rejection::kTransactionStatus).records_nothing();
}

TEST_CASE("a refund through a bank is of the first payment that has enough left") {
  const auto small = requested_in(paid_by_two().when(refund(6'000)).done());
  REQUIRE(small.size() == 1);
  CHECK_FALSE(small[0].end_to_end_id);
  const auto first_is_gone = paid_by_two().when(refund(2'500)).then().when(refund(4'000));
  REQUIRE(requested_in(first_is_gone.done()).size() == 1);
  CHECK(requested_in(first_is_gone)[0].end_to_end_id == sample_end_to_end_id(2));
}

TEST_CASE("a refund larger than each payment is made of a return of each") {
  const auto all = paid_by_two().when(refund());
  const auto parts = requested_in(all.done());
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].amount == Cents(6'000));
  CHECK_FALSE(parts[0].end_to_end_id);
  CHECK(parts[1].amount == Cents(4'000));
  CHECK(parts[1].end_to_end_id == sample_end_to_end_id(2));
  CHECK(parts[0].id != parts[1].id);
  all.then().when(refund(1)).refused(Rejection::kRefundNotAllowed);
  const auto charge = charge_in(settled(all));
  CHECK(charge.status == ChargeStatus::kRefunded);
  CHECK(charge.refunded == Cents(10'000));
  const auto some = requested_in(paid_by_two().when(refund(7'000)).done());
  REQUIRE(some.size() == 2);
  CHECK(some[0].amount == Cents(6'000));
  CHECK(some[1].amount == Cents(1'000));
  paid_by_two().when(refund(10'001)).refused(Rejection::kRefundNotAllowed).records_nothing();
}

TEST_CASE("a payment too old to be returned does not block the return of another") {
  const auto later = kStart.plus_millis(60 * kDayMs);
  const auto both = given({on_project(sample_project()), a_charge(true), aside(1, 6'000),
                           on_charge(UnappliedPaymentAccepted{sample_end_to_end_id(1), std::nullopt})})
                        .at(later)
                        .and_given({aside(2, 4'000, later)})
                        .when(add(2))
                        .then()
                        .at(kStart.plus_millis(91 * kDayMs));
  const auto of_second = requested_in(both.when(refund(4'000)).done());
  REQUIRE(of_second.size() == 1);
  CHECK(of_second[0].end_to_end_id == sample_end_to_end_id(2));
  both.when(refund(4'001)).refused(Rejection::kRefundWindowOver).records_nothing();
  both.when(refund()).refused(Rejection::kRefundWindowOver).records_nothing();
}

TEST_CASE("a refund outside banks is a single one, of all that was paid") {
  const auto all = paid_by_two(false).when(refund());
  all.done();
  CHECK(all.decision().events.size() == 1);
  const auto charge = charge_in(all.world());
  CHECK(charge.status == ChargeStatus::kRefunded);
  const auto payments = counted_payments(charge);
  CHECK(payments[0].by_hand == Cents(6'000));
  CHECK(payments[1].by_hand == Cents(4'000));
}

TEST_CASE(
    "what the bank sends back by itself is of the payment that it names, and never more than that was") {
  const auto second = paid_by_two().when(reversal(2, 4'000, 1));
  second.done();
  CHECK(charge_in(second.world()).status == ChargeStatus::kPaid);
  CHECK(counted_payments(charge_in(second.world()))[1].left() == Cents(0));
  second.then().when(reversal(2, 1, 2)).done().records_nothing();
  auto more = reversal(2, 1, 2);
  more.id = parsed<RefundId>("med2");
  second.then().when(more).refused(Rejection::kRefundNotAllowed).records_nothing();
  // The other payment's return bears the same number.
  const auto both = second.then().when(reversal(1, 6'000, 3));
  CHECK(charge_in(both.done().world()).status == ChargeStatus::kRefunded);
  CHECK(charge_in(both.world()).refunds == 2);
  paid_by_two().when(reversal(3, 1, 1)).refused(Rejection::kPaymentNotFound).records_nothing();
}

TEST_CASE("a refund is not settled of a payment that its bank has sent back by itself meanwhile") {
  const auto asked = paid_by_two().when(refund()).then();
  const auto charge = charge_in(asked.when(reversal(2, 1, 1)).world());
  REQUIRE(charge.refund_list.size() == 3);
  const auto reversed = asked.when(reversal(2, 1, 1)).then();
  reversed.when(SettleRefund{sample_charge_id(), charge.refund_list[0].id, kStart}).done();
  reversed.when(SettleRefund{sample_charge_id(), charge.refund_list[1].id, kStart})
      .refused(Rejection::kRefundNotAllowed)
      .records_nothing();
}

TEST_CASE("returns of a payment before it was added count for the charge, once") {
  const ReversedPart part{parsed<RefundId>("med1"), parsed<ReturnId>("D1823612020260301120000000000001"),
                          Cents(1'500), kStart};
  const auto added = paid_in_part()
                         .when(ReportUnappliedReversal{sample_charge_id(), sample_end_to_end_id(2), part.id,
                                                       part.return_id, part.amount, part.reversed_at})
                         .then()
                         .when(add(2));
  added.done().records({on_charge(UnappliedPaymentAdded{sample_end_to_end_id(2), Cents(50)}),
                        on_charge(PaymentReversed{part.id, part.return_id, part.amount, part.reversed_at,
                                                  sample_end_to_end_id(2)})});
  CHECK(charge_in(added.world()).refunded == Cents(1'500));
  CHECK(counted_payments(charge_in(added.world()))[1].left() == Cents(2'500));
  added.then().when(reversal(2, 1'500, 1)).done().records_nothing();
}

TEST_CASE("recorded events of added payments are checked against the rules") {
  const auto charge = charge_in(paid_in_part().when(add(2)).world());
  const auto is_legal = [&](const ChargeEvent& event) {
    const RecordedEvent recorded{.position = Position(9),
                                 .stream = charge_stream(charge.id),
                                 .version = 9,
                                 .recorded_at = kStart,
                                 .project = charge.project,
                                 .actor = "test",
                                 .request_id = {},
                                 .event = Event(event)};
    const AggregateState state(charge);
    return !broken_rule(&state, recorded);
  };
  const auto third = sample_end_to_end_id(3);
  CHECK(is_legal(UnappliedPaymentAdded{third, Cents(1)}));
  CHECK_FALSE(is_legal(UnappliedPaymentAdded{sample_end_to_end_id(2), Cents(1)}));
  CHECK_FALSE(is_legal(UnappliedPaymentAdded{third, Cents(2'501)}));
  const auto id = parsed<RefundId>("r1");
  CHECK(is_legal(RefundRequested{id, Cents(4'000), std::nullopt, sample_end_to_end_id(2)}));
  CHECK_FALSE(is_legal(RefundRequested{id, Cents(4'001), std::nullopt, sample_end_to_end_id(2)}));
  CHECK_FALSE(is_legal(RefundRequested{id, Cents(6'001), std::nullopt}));
  CHECK_FALSE(is_legal(RefundRequested{id, Cents(1), std::nullopt, third}));
  const auto back = parsed<ReturnId>("D1823612020260301120000000000001");
  CHECK(is_legal(PaymentReversed{id, back, Cents(4'000), kStart, sample_end_to_end_id(2)}));
  CHECK_FALSE(is_legal(PaymentReversed{id, back, Cents(4'001), kStart, sample_end_to_end_id(2)}));
}

}  // namespace pixledger::tests
