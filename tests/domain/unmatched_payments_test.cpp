#include <catch2/catch.hpp>
#include <string>

#include "domain/pix/payment_ids.h"
#include "domain/rules/event_rules.h"
#include "tests/domain/unmatched_cases.h"
#include "tests/support/domain/describe_event.h"

// Money that arrives on a connection's key and matches no charge: recorded once, then assigned to a charge,
// closed, or returned. And a charge's unapplied money, which is returned the same way.
namespace pixledger::tests {

using namespace domain;
using namespace unmatched_cases;

TEST_CASE("a payment at a bank that matches no charge is recorded once") {
  const auto first = ledger().when(told());
  first.done().records({on_payment(unmatched())});
  first.then().when(told()).done().records_nothing();
  CHECK(is_open(payment_in(first.world())));
  CHECK(claims_of(on_payment(unmatched())) == std::vector{unmatched_claim(sample_project_id(), kE2e)});
}

TEST_CASE("a payment that a charge has is never unmatched as well") {
  with_charge().and_given({on_charge(paid())}).when(told()).done().records_nothing();
  unapplied_payment().when(told()).done().records_nothing();
}

TEST_CASE("a payment is unmatched on a connection to a bank alone, and not in the future") {
  auto elsewhere = told();
  elsewhere.connection = sample_connection_id(Environment::kLive);
  ledger().when(elsewhere).refused(Rejection::kNotApiPix);
  elsewhere.connection = parsed<ConnectionId>("cnosuchone");
  ledger().when(elsewhere).refused(Rejection::kUnknownConnection);
  auto ahead = told();
  ahead.paid_at = kStart.plus_millis(kPaymentAheadMsMax + 1);
  ledger().when(ahead).refused(Rejection::kPaymentInFuture);
  given({}).when(told()).refused(Rejection::kProjectNotFound);
}

TEST_CASE("an unmatched payment that is assigned pays its charge by the rules for reported payments") {
  const auto assigned = open_payment().when(kAssign);
  assigned.done().records({on_payment(PaymentAssigned{kId}), on_charge(paid())});
  CHECK(payment_in(assigned.world()).state == UnmatchedState::kAssigned);
  assigned.then().when(kAssign).refused(Rejection::kUnmatchedPaymentSettled);

  open_payment(1).when(kAssign).flagged(PaymentFlag::kAmountMismatch);
  open_payment()
      .and_given({on_charge(ChargeCancelled{})})
      .when(kAssign)
      .flagged(PaymentFlag::kPaidAfterClose)
      .records({on_payment(PaymentAssigned{kId}),
                on_charge(PaymentLeftUnapplied{kE2e, Cents(10'000), kStart, PaymentFlag::kPaidAfterClose})});
  const auto other = ChargePaid{sample_end_to_end_id(2), Cents(10'000), kStart, std::nullopt};
  open_payment().and_given({on_charge(other)}).when(kAssign).flagged(PaymentFlag::kDuplicatePayment);
}

TEST_CASE("a payment that only the bank's clock makes older than the charge is assigned") {
  const auto paid_at_of = [](EndToEndId id, std::optional<Txid> txid) {
    auto early = unmatched();
    early.end_to_end_id = id;
    early.txid = std::move(txid);
    early.paid_at = kStart.plus_millis(-180 * kMinuteMs);
    return with_charge()
        .and_given({NewEvent{payment_stream(id), sample_project_id(), PaymentEvent(early)}})
        .when(AssignPayment{sample_project_id(), std::move(id), kId});
  };
  const auto without_minute = parsed<EndToEndId>("0123456789abcdefABCDEF0123456789");
  SECTION("by its txid, which did not exist before the charge") {
    const auto txid = GENERATE(cob_txid(kId), parsed<Txid>(kId.text()));
    const auto assigned = paid_at_of(without_minute, txid);
    assigned.done();
    CHECK(charge_in(assigned.world()).payment->paid_at == kStart);
  }
  SECTION("by the minute in its end-to-end id") {
    const auto assigned = paid_at_of(kE2e, std::nullopt);
    assigned.done();
    CHECK(charge_in(assigned.world()).payment->paid_at == kStart);
  }
  SECTION("not without such evidence") {
    paid_at_of(without_minute, std::nullopt).refused(Rejection::kPaymentBeforeCharge);
    paid_at_of(parsed<EndToEndId>("E18236120202603010900s1a2b3c4d5e"), parsed<Txid>("nota"))
        .refused(Rejection::kPaymentBeforeCharge);
  }
}

TEST_CASE("a payment counts as in time by the bank's time, whenever it is assigned") {
  const auto expired = open_payment().after(60 * kMinuteMs).and_given({on_charge(ChargeExpired{})});
  expired.when(kAssign).done().records({on_payment(PaymentAssigned{kId}), on_charge(paid())});
}

TEST_CASE("a payment is assigned only within its project and environment") {
  ledger().when(kAssign).refused(Rejection::kUnmatchedPaymentNotFound);
  auto theirs = kAssign;
  theirs.project = other_project_id();
  open_payment().when(theirs).refused(Rejection::kUnmatchedPaymentNotFound);
  with_charge(Environment::kSandbox)
      .and_given({on_payment(unmatched())})
      .when(kAssign)
      .refused(Rejection::kPaymentOfOtherEnvironment);
  ledger().and_given({on_payment(unmatched())}).when(kAssign).refused(Rejection::kTransactionNotFound);
  auto of_other = charge_of(Environment::kLive);
  of_other.project = other_project_id();
  ledger()
      .and_given(
          {NewEvent{charge_stream(kId), other_project_id(), ChargeEvent(of_other)}, on_payment(unmatched())})
      .when(kAssign)
      .refused(Rejection::kTransactionOfAnotherProject);
}

TEST_CASE("reporting an open unmatched payment for a charge assigns it, by the bank's time") {
  auto report = sample_report();
  report.paid_at = kStart.plus_millis(40 * kMinuteMs);
  open_payment()
      .after(45 * kMinuteMs)
      .when(report)
      .done()
      .records({on_payment(PaymentAssigned{kId}), on_charge(paid())});
  open_payment(1).when(sample_report()).refused(Rejection::kPaymentUnmatched).records_nothing();
  open_payment()
      .and_given({on_payment(PaymentClosed{kWhy})})
      .when(sample_report())
      .refused(Rejection::kPaymentUnmatched);
}

TEST_CASE("a payment that another project closed without a return is reported for its own charge") {
  auto of_other = unmatched();
  of_other.project = other_project_id();
  const auto theirs = [&](PaymentEvent event) {
    return NewEvent{payment_stream(kE2e), other_project_id(), std::move(event)};
  };
  const auto open = with_charge().and_given({theirs(of_other)});
  open.when(sample_report()).refused(Rejection::kPaymentUnmatched);
  const auto closed = open.and_given({theirs(PaymentClosed{kWhy})});
  closed.when(sample_report()).done().records({on_charge(paid())});
  auto more = sample_report();
  more.amount = Cents(10'001);
  closed.when(more).refused(Rejection::kPaymentUnmatched);
  const auto id = parsed<RefundId>("r1");
  const auto returning = open.and_given({theirs(PaymentReturnRequested{id, kWhy})});
  returning.when(sample_report()).refused(Rejection::kPaymentUnmatched);
  returning.and_given({theirs(PaymentReturned{id, kStart})})
      .when(sample_report())
      .refused(Rejection::kPaymentUnmatched);
}

TEST_CASE("an unmatched payment is closed once") {
  const auto closed = open_payment().when(close(false));
  closed.done().records({on_payment(PaymentClosed{kWhy})});
  closed.then().when(close(false)).refused(Rejection::kUnmatchedPaymentSettled);
  closed.then().when(kAssign).refused(Rejection::kUnmatchedPaymentSettled);
  ledger().when(close(false)).refused(Rejection::kUnmatchedPaymentNotFound);
}

TEST_CASE("a payment closed without a return can still be returned, while no charge has it") {
  const auto closed = open_payment().and_given({on_payment(PaymentClosed{kWhy})});
  const auto asked = closed.when(close(true));
  const auto id = payment_in(asked.world()).return_id.value();
  asked.done().records({on_payment(PaymentReturnRequested{id, kWhy})});
  asked.then().when(SettlePaymentReturn{kE2e, id, kStart}).done();

  auto of_other = unmatched();
  of_other.project = other_project_id();
  const auto theirs = [&](PaymentEvent event) {
    return NewEvent{payment_stream(kE2e), other_project_id(), std::move(event)};
  };
  const auto taken =
      with_charge().and_given({theirs(of_other), theirs(PaymentClosed{kWhy}), on_charge(paid())});
  taken.when(ClosePayment{other_project_id(), kE2e, true, kWhy}).refused(Rejection::kUnmatchedPaymentSettled);
}

TEST_CASE("an unmatched payment is returned under one id, and is open again if the return fails") {
  const auto asked = open_payment().when(close(true));
  REQUIRE(asked.decision().events.size() == 1);
  const auto id = payment_in(asked.world()).return_id.value();
  asked.done().records({on_payment(PaymentReturnRequested{id, kWhy})});
  asked.then().when(close(true)).refused(Rejection::kPaymentGoesBack);
  asked.then().when(kAssign).refused(Rejection::kUnmatchedPaymentSettled);

  const auto returned = asked.then().when(SettlePaymentReturn{kE2e, id, kStart});
  returned.done().records({on_payment(PaymentReturned{id, kStart})});
  returned.then().when(SettlePaymentReturn{kE2e, id, kStart}).done().records_nothing();
  returned.then().when(FailPaymentReturn{kE2e, id, kWhy}).done().records_nothing();

  const auto failed = asked.then().when(FailPaymentReturn{kE2e, id, kWhy});
  failed.done().records({on_payment(PaymentReturnFailed{id, kWhy})});
  CHECK(is_open(payment_in(failed.world())));
  CHECK(payment_in(failed.world()).return_failure == kWhy);
  const auto again = failed.then().when(close(true));
  again.done();
  CHECK(payment_in(again.world()).return_id != id);

  const auto other = parsed<RefundId>("other");
  asked.then().when(SettlePaymentReturn{kE2e, other, kStart}).done().records_nothing();
  asked.then().when(FailPaymentReturn{kE2e, other, kWhy}).done().records_nothing();
  asked.then()
      .when(SettlePaymentReturn{kE2e, id, kStart.plus_millis(kPaymentAheadMsMax + 1)})
      .refused(Rejection::kPaymentInFuture);
  open_payment()
      .at(kStart.plus_millis(kRefundWindowMs + 1))
      .when(close(true))
      .refused(Rejection::kRefundWindowOver);
}

TEST_CASE("the end of a return that was not requested settles nothing") {
  const auto med = parsed<RefundId>("MED1");
  open_payment().when(SettlePaymentReturn{kE2e, med, kStart}).done().records_nothing();
  unapplied_payment().when(SettleUnappliedReturn{kId, kE2e, med, kStart}).done().records_nothing();
}

TEST_CASE("unapplied money is returned through the bank, and must be settled again if the return fails") {
  const auto asked = unapplied_payment().when(give_back(true));
  const auto id = charge_in(asked.world()).unapplied.at(0).return_id.value();
  asked.done().records({on_charge(UnappliedReturnRequested{id, kE2e, kWhy})});
  CHECK(webhook_events_of(UnappliedReturnRequested{id, kE2e, kWhy}, charge_in(asked.world())).empty());
  asked.then().when(give_back(true)).refused(Rejection::kPaymentGoesBack);
  asked.then().when(give_back(false)).refused(Rejection::kPaymentGoesBack);
  asked.then()
      .when(AcceptUnappliedPayment{sample_project_id(), kId, kE2e})
      .refused(Rejection::kPaymentGoesBack);

  const auto returned = asked.then().when(SettleUnappliedReturn{kId, kE2e, id, kStart});
  returned.done().records({on_charge(UnappliedPaymentReturned{kE2e, std::nullopt, id, kStart})});
  const auto& charge = charge_in(returned.world());
  CHECK(charge.unapplied.empty());
  CHECK(charge.returned.at(0).returned_at == kStart);
  CHECK(charge.refund_list.empty());
  returned.then().when(SettleUnappliedReturn{kId, kE2e, id, kStart}).done().records_nothing();

  const auto failed = asked.then().when(FailUnappliedReturn{kId, kE2e, id, kWhy});
  failed.done().records({on_charge(UnappliedReturnFailed{id, kE2e, kWhy})});
  CHECK_FALSE(charge_in(failed.world()).unapplied.at(0).return_id);
  failed.then().when(AcceptUnappliedPayment{sample_project_id(), kId, kE2e}).done();
}

TEST_CASE("money outside banks is not returned through a bank") {
  unapplied_payment(false).when(give_back(true)).refused(Rejection::kPaymentOutsideBank);
  unapplied_payment(false).when(give_back(false)).done();
  // A payment seen at a bank is returned there, whatever charge it was assigned to.
  unapplied_payment(false)
      .and_given({on_payment(unmatched(1)), on_payment(PaymentAssigned{kId})})
      .when(give_back(true))
      .done();
  unapplied_payment()
      .at(kStart.plus_millis(kRefundWindowMs + 1))
      .when(give_back(true))
      .refused(Rejection::kRefundWindowOver);
}

TEST_CASE("no event of an unmatched payment is valid twice, or in another order") {
  const auto stream = payment_stream(kE2e);
  const auto broken = [&](const std::optional<UnmatchedPayment>& before, PaymentEvent event) {
    const auto state = before ? std::optional<AggregateState>(*before) : std::nullopt;
    return broken_rule(state ? &*state : nullptr,
                       {Position(9), stream, 2, kStart, sample_project_id(), "test", "", std::move(event)})
        .has_value();
  };
  const auto after = [](std::optional<UnmatchedPayment> before, const PaymentEvent& event) {
    return apply(std::move(before), event, kStart);
  };
  const auto id = parsed<RefundId>("r1");
  const std::vector<PaymentEvent> events{
      unmatched(),
      PaymentAssigned{kId},
      PaymentClosed{kWhy},
      PaymentReturnRequested{id, kWhy},
      PaymentReturned{id, kStart},
      PaymentReturnFailed{id, kWhy},
      UnmatchedPaymentReversed{parsed<RefundId>("MED1"), kReturn, Cents(1), kStart}};
  // For each event, which of the seven may follow.
  const auto open = after(std::nullopt, unmatched());
  const auto legal = [&](const std::optional<UnmatchedPayment>& before) {
    std::string text;
    for (const auto& event : events) text += broken(before, event) ? '-' : '+';
    return text;
  };
  CHECK(legal(std::nullopt) == "+------");
  CHECK(legal(open) == "-++++-+");
  CHECK(legal(after(open, PaymentAssigned{kId})) == "-------");
  CHECK(legal(after(open, PaymentClosed{kWhy})) == "---++-+");
  const auto returning = after(open, PaymentReturnRequested{id, kWhy});
  CHECK(legal(returning) == "----+++");
  CHECK(legal(after(returning, PaymentReturned{id, kStart})) == "-------");
  CHECK(legal(after(returning, PaymentReturnFailed{id, kWhy})) == "-++++-+");
  CHECK(broken(returning, PaymentReturned{parsed<RefundId>("other"), kStart}));
  auto elsewhere = unmatched();
  elsewhere.end_to_end_id = sample_end_to_end_id(2);
  CHECK(broken(std::nullopt, elsewhere));
}

}  // namespace pixledger::tests
