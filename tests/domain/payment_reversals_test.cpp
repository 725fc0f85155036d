#include <catch2/catch.hpp>

#include "tests/domain/unmatched_cases.h"
#include "tests/support/domain/describe_event.h"

// Returns by the banks themselves of money that paid no charge.
namespace pixledger::tests {

using namespace domain;
using namespace unmatched_cases;

// The payments system's id of a devolução's return, unique for each.
static ReturnId name_of(const std::string& id) {
  return parsed<ReturnId>(kReturn.text().substr(0, kReturn.text().size() - id.size()) + id);
}

TEST_CASE("partial returns by the bank count once, and the last one settles the payment") {
  const auto part = [](const char* id, std::int64_t cents) {
    return ReportUnmatchedReversal{kE2e, parsed<RefundId>(id), name_of(id), Cents(cents), kStart};
  };
  const auto med = parsed<RefundId>("MED1");
  const auto last = parsed<RefundId>("MED2");
  const auto some = open_payment().when(part("MED1", 4'000));
  some.done().records({on_payment(UnmatchedPaymentReversed{med, name_of("MED1"), Cents(4'000), kStart})});
  CHECK(is_open(payment_in(some.world())));
  CHECK(gone_back(payment_in(some.world())) == Cents(4'000));
  some.then().when(part("MED1", 4'000)).done().records_nothing();
  // A bank may show one return under two ids.
  auto again = part("MED9", 4'000);
  again.return_id = name_of("MED1");
  some.then().when(again).done().records_nothing();
  some.then().when(part("MED2", 6'001)).refused(Rejection::kRefundNotAllowed);
  auto ahead = part("MED2", 1);
  ahead.reversed_at = kStart.plus_millis(kPaymentAheadMsMax + 1);
  some.then().when(ahead).refused(Rejection::kPaymentInFuture);
  const auto all = some.then().when(part("MED2", 6'000));
  all.done().records({on_payment(UnmatchedPaymentReversed{last, name_of("MED2"), Cents(6'000), kStart}),
                      on_payment(PaymentReturned{last, kStart})});
  CHECK(gone_back(payment_in(all.world())) == Cents(10'000));
  all.then().when(part("MED3", 1)).done().records_nothing();

  // Also of a closed payment; and if a return was requested, that request ends first.
  const auto closed = some.then().when(close(false)).then().when(part("MED2", 1));
  closed.done().records({on_payment(UnmatchedPaymentReversed{last, name_of("MED2"), Cents(1), kStart})});
  CHECK(payment_in(closed.world()).state == UnmatchedState::kClosed);
  const auto asked = some.then().when(close(true));
  const auto id = payment_in(asked.world()).return_id.value();
  const auto crossed = asked.then().when(part("MED2", 6'000));
  CHECK(payment_in(crossed.world()).state == UnmatchedState::kReturning);
  crossed.then()
      .when(FailPaymentReturn{kE2e, id, kWhy})
      .done()
      .records({on_payment(PaymentReturnFailed{id, kWhy}), on_payment(PaymentReturned{last, kStart})});
  ledger().when(part("MED1", 1)).refused(Rejection::kUnmatchedPaymentNotFound);
}

TEST_CASE("an assigned payment brings its partial returns to the charge") {
  const UnmatchedPaymentReversed part{parsed<RefundId>("MED1"), kReturn, Cents(4'000), kStart};
  const PaymentReversed refund{part.id, kReturn, part.amount, kStart};
  const auto some = open_payment().and_given({on_payment(part)});
  const auto assigned = some.when(kAssign);
  assigned.done().records({on_payment(PaymentAssigned{kId}), on_charge(paid()), on_charge(refund)});
  CHECK(charge_in(assigned.world()).refunded == Cents(4'000));
  // Later returns are the charge's.
  const ReportUnmatchedReversal late{kE2e, parsed<RefundId>("MED2"), name_of("MED2"), Cents(1), kStart};
  assigned.then().when(late).refused(Rejection::kUnmatchedPaymentSettled);
  const auto aside = some.and_given({on_charge(ChargeCancelled{})}).when(kAssign);
  aside.flagged(PaymentFlag::kPaidAfterClose)
      .records({on_payment(PaymentAssigned{kId}),
                on_charge(PaymentLeftUnapplied{kE2e, Cents(10'000), kStart, PaymentFlag::kPaidAfterClose}),
                on_charge(UnappliedPaymentReversed{kE2e, part.id, kReturn, part.amount, kStart})});
}

TEST_CASE(
    "a return that one charge has counted is not counted by the charge that its payment is assigned to") {
  const UnmatchedPaymentReversed part{parsed<RefundId>("MED1"), kReturn, Cents(4'000), kStart};
  const UnmatchedPaymentReversed own{parsed<RefundId>("MED2"), name_of("MED2"), Cents(1), kStart};
  const PaymentReversed refund{own.id, own.return_id, own.amount, kStart};
  const auto elsewhere = parsed<ChargeId>("ccharge000000000000000009");
  const NewEvent counted{charge_stream(elsewhere), sample_project_id(),
                         PaymentReversed{part.id, kReturn, part.amount, kStart}};
  const auto shared = open_payment().and_given({on_payment(part), on_payment(own), counted});
  shared.when(kAssign).done().records(
      {on_payment(PaymentAssigned{kId}), on_charge(paid()), on_charge(refund)});

  const auto of_unapplied = [](const UnmatchedPaymentReversed& known) {
    return on_charge(UnappliedPaymentReversed{kE2e, known.id, known.return_id, known.amount, kStart});
  };
  const auto accepted = unapplied_payment()
                            .and_given({of_unapplied(part), of_unapplied(own), counted})
                            .when(AcceptUnappliedPayment{sample_project_id(), kId, kE2e});
  CHECK(charge_in(accepted.done().world()).refunded == Cents(1));
}

TEST_CASE(
    "parts of unapplied money count once, settle it with the last, and are refunds once it is accepted") {
  const auto part = [](const char* id, std::int64_t cents) {
    return ReportUnappliedReversal{kId, kE2e, parsed<RefundId>(id), name_of(id), Cents(cents), kStart};
  };
  const auto event = [](const char* id, std::int64_t cents) {
    return UnappliedPaymentReversed{kE2e, parsed<RefundId>(id), name_of(id), Cents(cents), kStart};
  };
  const auto last = parsed<RefundId>("MED2");
  const auto aside = ledger().and_given(
      {on_charge(charge_of(Environment::kLive)),
       on_charge(PaymentLeftUnapplied{kE2e, Cents(10), kStart, PaymentFlag::kAmountMismatch})});
  const auto some = aside.when(part("MED1", 4));
  some.done().records({on_charge(event("MED1", 4))});
  CHECK(webhook_events_of(event("MED1", 4), charge_in(some.world())).empty());
  some.then().when(part("MED1", 4)).done().records_nothing();
  auto again = part("MED9", 4);
  again.return_id = name_of("MED1");
  some.then().when(again).done().records_nothing();
  some.then().when(part("MED2", 7)).refused(Rejection::kRefundNotAllowed);
  const auto all = some.then().when(part("MED2", 6));
  all.done().records(
      {on_charge(event("MED2", 6)), on_charge(UnappliedPaymentReturned{kE2e, std::nullopt, last, kStart})});
  all.then().when(part("MED3", 1)).done().records_nothing();

  const auto accepted = some.then().when(AcceptUnappliedPayment{sample_project_id(), kId, kE2e});
  CHECK(charge_in(accepted.world()).refunded == Cents(4));
  CHECK(charge_in(accepted.world()).status == ChargeStatus::kPaid);
  accepted.then().when(part("MED2", 1)).refused(Rejection::kPaymentNotFound);

  const auto by_hand = some.then().when(give_back(false)).then().when(part("MED2", 6));
  by_hand.done().records({on_charge(event("MED2", 6))});

  const auto asked = some.then().when(give_back(true));
  const auto id = charge_in(asked.world()).unapplied.at(0).return_id.value();
  const auto crossed = asked.then().when(part("MED2", 6));
  crossed.done().records({on_charge(event("MED2", 6))});
  crossed.then()
      .when(FailUnappliedReturn{kId, kE2e, id, kWhy})
      .done()
      .records({on_charge(UnappliedReturnFailed{id, kE2e, kWhy}),
                on_charge(UnappliedPaymentReturned{kE2e, std::nullopt, last, kStart})});
}

}  // namespace pixledger::tests
