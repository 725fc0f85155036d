// Payments reported by gateways and operators: matching, not matching, or twice; and how they are settled.
#include <catch2/catch.hpp>
#include <limits>
#include <rapidcheck.h>

#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

const auto kExpiry = kStart.plus_millis(30 * kMinuteMs);

Given a_charge() {
  return given({on_project(sample_project()), on_charge(sample_charge(Environment::kLive))});
}

ReportPayment paid_at(Timestamp moment, unsigned payment = 1, std::int64_t cents = 10'000) {
  auto command = sample_report(payment, cents);
  command.paid_at = moment;
  return command;
}

NewEvent unapplied(unsigned payment, std::int64_t cents, Timestamp moment, PaymentFlag flag) {
  return on_charge(PaymentLeftUnapplied{sample_end_to_end_id(payment), Cents(cents), moment, flag});
}

AcceptUnappliedPayment accept(unsigned payment = 1) {
  return {sample_project_id(), sample_charge_id(), sample_end_to_end_id(payment)};
}

ReturnUnappliedPayment give_back(unsigned payment = 1) {
  return {sample_charge_id(), sample_end_to_end_id(payment), std::nullopt};
}

Charge charge_in(const Then& then) { return *then.world().find<Charge>(charge_stream(sample_charge_id())); }

}  // namespace

TEST_CASE("a reported payment of the amount pays the charge, with the fee of what was paid") {
  a_charge()
      .after(1)
      .when(sample_report())
      .done()
      .records(
          {on_charge(ChargePaid{sample_end_to_end_id(), Cents(10'000), kStart.plus_millis(1), Cents(110)})});
}

TEST_CASE("a payment made before the expiry pays, however late it is reported") {
  const auto in_time = paid_at(kExpiry.plus_millis(-1));
  const auto late = a_charge().at(kExpiry.plus_millis(10 * kDayMs));
  const auto payment =
      on_charge(ChargePaid{sample_end_to_end_id(), Cents(10'000), *in_time.paid_at, Cents(110)});
  late.when(in_time).done().records({payment});
  late.when(ExpireOverdueCharge{sample_charge_id()}).then().when(in_time).done().records({payment});
}

TEST_CASE("a payment made at the expiry or later is kept aside and flagged") {
  const auto late = a_charge().at(kExpiry.plus_millis(5));
  for (const auto moment : {kExpiry, kExpiry.plus_millis(5)}) {
    late.when(paid_at(moment))
        .flagged(PaymentFlag::kPaidAfterExpiry)
        .records({on_charge(ChargeExpired{}), unapplied(1, 10'000, moment, PaymentFlag::kPaidAfterExpiry)});
  }
}

TEST_CASE("a charge that the sandbox expired early is paid only by an earlier payment") {
  const auto expired_at = kStart.plus_millis(1'000);
  const auto expired = given({on_project(sample_project()), on_charge(sample_charge())})
                           .at(expired_at)
                           .and_given({on_charge(ChargeExpired{})});
  expired.when(paid_at(expired_at.plus_millis(-1))).done();
  expired.when(paid_at(expired_at)).flagged(PaymentFlag::kPaidAfterExpiry);
  expired.after(1).when(sample_report()).flagged(PaymentFlag::kPaidAfterExpiry);
}

TEST_CASE("a payment of another amount waits beside the charge, which can still be paid") {
  const auto differs = a_charge().when(sample_report(1, 9'999));
  differs.flagged(PaymentFlag::kAmountMismatch)
      .records({unapplied(1, 9'999, kStart, PaymentFlag::kAmountMismatch)});
  CHECK(charge_in(differs).status == ChargeStatus::kWaitingPayment);
  const auto paid = differs.then().when(sample_report(2));
  paid.done();
  CHECK(charge_in(paid).status == ChargeStatus::kPaid);
  CHECK(charge_in(paid).unapplied.size() == 1);
}

TEST_CASE("the report of a known payment changes nothing, in any state of the payment") {
  const auto paid = a_charge().when(sample_report()).then().after(1);
  paid.when(sample_report()).done().records_nothing();
  paid.when(paid_at(kStart)).done().records_nothing();

  const auto aside = a_charge().when(sample_report(1, 5)).then();
  aside.when(sample_report(1, 5)).flagged(PaymentFlag::kAmountMismatch).records_nothing();
  const auto accepted = aside.when(accept()).then();
  accepted.when(sample_report(1, 5)).done().records_nothing();
  const auto refunded = accepted.when(RefundCharge{merchant(), sample_charge_id(), {}, {}}).then();
  refunded.when(sample_report(1, 5)).done().records_nothing();
  const auto returned = aside.when(give_back()).then();
  returned.when(sample_report(1, 5)).flagged(PaymentFlag::kAmountMismatch).records_nothing();
}

TEST_CASE("a known end-to-end id with another amount is refused, in any state of the payment") {
  const auto paid = a_charge().when(sample_report()).then();
  const auto aside = a_charge().when(sample_report(1, 5)).then();
  for (const auto& known : {paid, aside, aside.when(accept()).then(), aside.when(give_back()).then()})
    known.when(sample_report(1, 6)).refused(Rejection::kEndToEndIdTaken).records_nothing();
}

TEST_CASE("an end-to-end id of another charge is refused, also after that payment was returned") {
  auto other = sample_charge(Environment::kLive);
  other.id = parsed<ChargeId>("ccharge000000000000000002");
  const NewEvent created{charge_stream(other.id), sample_project_id(), ChargeEvent(other)};
  const auto two = a_charge().and_given({created});
  auto report_other = sample_report();
  report_other.charge = other.id;
  two.when(sample_report()).then().when(report_other).refused(Rejection::kEndToEndIdTaken).records_nothing();
  const auto returned = two.when(sample_report(1, 5)).then().when(give_back()).then();
  returned.when(report_other).refused(Rejection::kEndToEndIdTaken).records_nothing();
}

TEST_CASE("a second payment is a duplicate, also when its amount differs or it came too late") {
  const auto paid = a_charge().when(sample_report()).then();
  paid.when(sample_report(2)).flagged(PaymentFlag::kDuplicatePayment);
  paid.when(sample_report(2, 1)).flagged(PaymentFlag::kDuplicatePayment);
  paid.at(kExpiry).when(sample_report(2)).flagged(PaymentFlag::kDuplicatePayment);
  const auto refunded = paid.when(RefundCharge{merchant(), sample_charge_id(), {}, {}}).then();
  refunded.when(sample_report(2)).flagged(PaymentFlag::kDuplicatePayment);
}

TEST_CASE("an accepted payment pays with its own amount and time, and the fee of that amount") {
  const auto moment = kStart.plus_millis(1);
  const auto then = a_charge().after(5).when(paid_at(moment, 1, 250'000)).then().after(5).when(accept());
  then.done().records({on_charge(UnappliedPaymentAccepted{sample_end_to_end_id(), Cents(2'510)})});
  const auto charge = charge_in(then);
  CHECK(charge.status == ChargeStatus::kPaid);
  CHECK(charge.payment->amount == Cents(250'000));
  CHECK(charge.payment->paid_at == moment);
  CHECK(charge.payment->fee == Cents(2'510));
  CHECK(charge.unapplied.empty());
}

TEST_CASE("an accepted payment is refunded by its paid amount, not by the charge's") {
  const auto refund = [](std::int64_t cents) {
    return RefundCharge{merchant(), sample_charge_id(), Cents(cents), std::nullopt};
  };
  const auto more = a_charge().when(sample_report(1, 15'000)).then().when(accept()).then();
  more.when(refund(15'001)).refused(Rejection::kRefundNotAllowed);
  CHECK(charge_in(more.when(refund(10'000))).status == ChargeStatus::kPaid);
  CHECK(charge_in(more.when(refund(15'000))).status == ChargeStatus::kRefunded);
  const auto less = a_charge().when(sample_report(1, 5'000)).then().when(accept()).then();
  less.when(refund(10'000)).refused(Rejection::kRefundNotAllowed);
  CHECK(charge_in(less.when(refund(5'000))).status == ChargeStatus::kRefunded);
}

TEST_CASE("a charge that has its payment accepts no second one, not even after its refund") {
  const auto duplicate = a_charge().when(sample_report(1)).then().when(sample_report(2)).then();
  duplicate.when(accept(2)).refused(Rejection::kTransactionStatus).records_nothing();
  const auto refunded = duplicate.when(RefundCharge{merchant(), sample_charge_id(), {}, {}}).then();
  refunded.when(accept(2)).refused(Rejection::kTransactionStatus).records_nothing();
  refunded.when(give_back(2)).done();
}

TEST_CASE("a payment is settled once") {
  const auto aside = a_charge().when(sample_report(1, 5)).then();
  const auto returned = aside.when(give_back()).then();
  returned.when(give_back()).refused(Rejection::kPaymentNotFound).records_nothing();
  returned.when(accept()).refused(Rejection::kPaymentNotFound).records_nothing();
  const auto accepted = aside.when(accept()).then();
  accepted.when(accept()).refused(Rejection::kPaymentNotFound).records_nothing();
  accepted.when(give_back()).refused(Rejection::kPaymentNotFound).records_nothing();
}

TEST_CASE("returning a payment leaves the charge's status as it was") {
  const auto aside = a_charge().when(sample_report(1, 5)).then().when(sample_report(2, 6)).then();
  const auto then = aside.when(give_back(2));
  CHECK(charge_in(then).status == ChargeStatus::kWaitingPayment);
  REQUIRE(charge_in(then).unapplied.size() == 1);
  CHECK(charge_in(then).unapplied[0].end_to_end_id == sample_end_to_end_id(1));
}

TEST_CASE("a payment reported in the name of another project does not find the charge") {
  auto report = sample_report();
  report.project = other_project_id();
  a_charge().when(report).refused(Rejection::kTransactionNotFound).records_nothing();
  auto accepted = accept();
  accepted.project = other_project_id();
  a_charge().when(sample_report(1, 5)).then().when(accepted).refused(Rejection::kTransactionNotFound);
}

TEST_CASE("a payment more than five minutes ahead of the ledger's time is refused") {
  a_charge().when(paid_at(kStart.plus_millis(5 * kMinuteMs))).done();
  const auto ahead = paid_at(kStart.plus_millis(5 * kMinuteMs + 1));
  a_charge().when(ahead).refused(Rejection::kPaymentInFuture).records_nothing();
  const auto overdue = a_charge().at(kExpiry);
  overdue.when(paid_at(kExpiry.plus_millis(5 * kMinuteMs + 1)))
      .refused(Rejection::kPaymentInFuture)
      .records({on_charge(ChargeExpired{})});
}

TEST_CASE("a payment more than five minutes before its charge is refused, unless it is known already") {
  const auto charge = a_charge();
  charge.when(paid_at(kStart.plus_millis(-5 * kMinuteMs))).done();
  const auto early = paid_at(kStart.plus_millis(-5 * kMinuteMs - 1));
  charge.when(early).refused(Rejection::kPaymentBeforeCharge).records_nothing();
  charge.at(kExpiry)
      .when(early)
      .refused(Rejection::kPaymentBeforeCharge)
      .records({on_charge(ChargeExpired{})});
  // As earlier releases recorded it.
  const auto paid = charge.and_given(
      {on_charge(ChargePaid{sample_end_to_end_id(), Cents(10'000), *early.paid_at, std::nullopt})});
  paid.when(early).done().records_nothing();
}

TEST_CASE("the fee is the fixed part and the basis points, rounded half up, and at most the payment") {
  auto settings = sample_settings();
  const auto fee = [&](std::int64_t fixed, std::int32_t points, std::int64_t paid) {
    settings.fee_fixed = Cents(fixed);
    settings.fee_basis_points = points;
    return fee_of(settings, Cents(paid));
  };
  CHECK_FALSE(fee(0, 0, 10'000));
  CHECK(fee(0, 1, 4'999) == Cents(0));
  CHECK(fee(0, 1, 5'000) == Cents(1));
  CHECK(fee(0, 99, 10'050) == Cents(99));    // 99.495
  CHECK(fee(0, 100, 10'050) == Cents(101));  // 100.5
  CHECK(fee(40, 0, 39) == Cents(39));
  CHECK(fee(1, 10'000, 500) == Cents(500));
  CHECK(fee(0, 10'000, kAmountCentsMax) == Cents(kAmountCentsMax));
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  CHECK(fee(kHuge, 10'000, kHuge) == Cents(kHuge));
  CHECK(fee(0, 10'000, kHuge) == Cents(kHuge));
  CHECK(fee(0, 1, kHuge) == Cents(922'337'203'685'478));
}

TEST_CASE("the fee lies between zero and the payment and grows with it") {
  REQUIRE(rc::check([] {
    auto settings = sample_settings();
    settings.fee_fixed = Cents(*rc::gen::inRange<std::int64_t>(0, 1'000));
    settings.fee_basis_points = *rc::gen::inRange<std::int32_t>(1, kFeeBasisPointsMax + 1);
    const auto paid = *rc::gen::inRange<std::int64_t>(1, kAmountCentsMax);
    const auto fee = *fee_of(settings, Cents(paid));
    return fee >= Cents(0) && fee <= Cents(paid) && fee <= *fee_of(settings, Cents(paid + 1));
  }));
}

}  // namespace pixledger::tests
