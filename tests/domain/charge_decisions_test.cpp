#include <catch2/catch.hpp>
#include <string>

#include "domain/decisions/decide.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

const auto kExpiry = kStart.plus_millis(30 * kMinuteMs);

Given a_charge(Environment environment = Environment::kSandbox) {
  return given({on_project(sample_project()), on_charge(sample_charge(environment))});
}

ChargePaid paid(std::int64_t cents = 10'000) {
  return {sample_end_to_end_id(), Cents(cents), kStart, std::nullopt};
}

RefundCharge refund(std::optional<std::int64_t> cents = std::nullopt) {
  RefundCharge command{merchant(), sample_charge_id(), std::nullopt, std::nullopt};
  if (cents) command.amount = Cents(*cents);
  return command;
}

NewEvent refunded(std::int64_t cents) { return on_charge(ChargeRefunded{Cents(cents), std::nullopt}); }

// The amount of the only event, a refund under any id.
Cents amount_refunded(const Then& then) {
  REQUIRE(then.decision().events.size() == 1);
  return std::get<ChargeRefunded>(std::get<ChargeEvent>(then.decision().events[0].event)).amount;
}

Charge charge_in(const World& world) { return *world.find<Charge>(charge_stream(sample_charge_id())); }

}  // namespace

TEST_CASE(
    "a sandbox payment pays the whole amount now, with the store's fee and a synthesized end-to-end id") {
  const auto then = a_charge().after(1'000).when(PaySandboxCharge{merchant(), sample_charge_id()});
  then.done();
  REQUIRE(then.decision().events.size() == 1);
  const auto& event = std::get<ChargePaid>(std::get<ChargeEvent>(then.decision().events[0].event));
  CHECK(event.amount == Cents(10'000));
  CHECK(event.paid_at == kStart.plus_millis(1'000));
  CHECK(event.fee == Cents(110));
  CHECK(event.end_to_end_id.text().substr(0, 21) == "E00000000202603011200");
  CHECK(then.world().claim_holder(end_to_end_claim(event.end_to_end_id))->text() ==
        charge_stream(sample_charge_id()).text());
}

TEST_CASE("a charge can be paid until the millisecond before its expiry") {
  const PaySandboxCharge pay{merchant(), sample_charge_id()};
  a_charge().at(kExpiry.plus_millis(-1)).when(pay).done();
  a_charge()
      .at(kExpiry)
      .when(pay)
      .refused(Rejection::kTransactionStatus)
      .records({on_charge(ChargeExpired{})});
}

TEST_CASE("the expiry that a late operation records is recorded once") {
  const CancelCharge cancel{merchant(), sample_charge_id()};
  const auto expired = a_charge().at(kExpiry).when(cancel).then();
  expired.when(cancel).refused(Rejection::kTransactionStatus).records_nothing();
  expired.when(ExpireOverdueCharge{sample_charge_id()}).done().records_nothing();
}

TEST_CASE("only a charge's own merchant can expire it by request") {
  const auto overdue = a_charge().at(kExpiry);
  overdue.when(CancelCharge{other_merchant(), sample_charge_id()}).records_nothing();
  overdue.when(RefundCharge{other_merchant(), sample_charge_id(), {}, {}}).records_nothing();
  overdue.when(PaySandboxCharge{other_merchant(), sample_charge_id()}).records_nothing();
}

TEST_CASE("a charge that is being processed never becomes overdue") {
  const auto processing = a_charge().and_given({on_charge(ChargeProcessingStarted{})}).after(400 * kDayMs);
  processing.when(ExpireOverdueCharge{sample_charge_id()}).done().records_nothing();
  processing.when(FailCharge{sample_charge_id(), {}}).done().records({on_charge(ChargeFailed{std::nullopt})});
}

TEST_CASE("the sandbox expires a charge before its time") {
  const auto then = a_charge().after(1).when(ExpireSandboxCharge{merchant(), sample_charge_id()});
  then.done().records({on_charge(ChargeExpired{})});
  CHECK(charge_in(then.world()).expired_at == kStart.plus_millis(1));
  then.then().when(PaySandboxCharge{merchant(), sample_charge_id()}).refused(Rejection::kTransactionStatus);
}

TEST_CASE("in the sandbox another project's charge does not exist") {
  const auto refusals = {Command(PaySandboxCharge{other_merchant(), sample_charge_id()}),
                         Command(ExpireSandboxCharge{other_merchant(), sample_charge_id()}),
                         Command(FailSandboxCharge{other_merchant(), sample_charge_id()})};
  for (const auto& command : refusals) a_charge().when(command).refused(Rejection::kTransactionNotFound);
  for (const auto& command : refusals)
    a_charge(Environment::kLive).when(command).refused(Rejection::kTransactionNotFound);
}

TEST_CASE(
    "cancelling or refunding another project's charge is forbidden, also to a key of the sandbox alone") {
  const Caller other_sandbox{other_project_id(), true};
  for (const auto& caller : {other_merchant(), other_sandbox}) {
    for (const auto environment : {Environment::kLive, Environment::kSandbox}) {
      a_charge(environment)
          .when(CancelCharge{caller, sample_charge_id()})
          .refused(Rejection::kTransactionOfAnotherProject);
      a_charge(environment)
          .when(RefundCharge{caller, sample_charge_id(), {}, {}})
          .refused(Rejection::kTransactionOfAnotherProject);
    }
  }
}

TEST_CASE("the sandbox's operations refuse the caller's own live charge") {
  const auto live = a_charge(Environment::kLive);
  live.when(PaySandboxCharge{merchant(), sample_charge_id()})
      .refused(Rejection::kNotSandbox)
      .records_nothing();
  live.when(ExpireSandboxCharge{merchant(), sample_charge_id()}).refused(Rejection::kNotSandbox);
  live.when(FailSandboxCharge{merchant(), sample_charge_id()}).refused(Rejection::kNotSandbox);
  live.at(kExpiry)
      .when(PaySandboxCharge{merchant(), sample_charge_id()})
      .refused(Rejection::kNotSandbox)
      .records_nothing();
}

TEST_CASE("a live charge is refused to a test key, by the sandbox's operations as to any key") {
  const auto live = a_charge(Environment::kLive).at(kExpiry);
  const auto id = sample_charge_id();
  for (const auto& command :
       {Command(CancelCharge{merchant_sandbox(), id}), Command(RefundCharge{merchant_sandbox(), id, {}, {}})})
    live.when(command).refused(Rejection::kLiveForTestKey).records_nothing();
  for (const auto& command : {Command(PaySandboxCharge{merchant_sandbox(), id}),
                              Command(ExpireSandboxCharge{merchant_sandbox(), id}),
                              Command(FailSandboxCharge{merchant_sandbox(), id})})
    live.when(command).refused(Rejection::kNotSandbox).records_nothing();
  a_charge().when(CancelCharge{merchant_sandbox(), id}).done();
}

TEST_CASE("an operator cancels and refunds charges of every project and environment") {
  for (const auto environment : {Environment::kLive, Environment::kSandbox}) {
    a_charge(environment).when(CancelCharge{an_operator(), sample_charge_id()}).done();
    a_charge(environment)
        .and_given({on_charge(paid())})
        .when(RefundCharge{an_operator(), sample_charge_id(), {}, {}})
        .done();
  }
}

TEST_CASE("partial refunds keep a charge paid until they add up to the payment") {
  auto then = a_charge().and_given({on_charge(paid())}).when(refund(4'000));
  CHECK(amount_refunded(then.done()) == Cents(4'000));
  CHECK(charge_in(then.world()).status == ChargeStatus::kPaid);
  CHECK(charge_in(then.world()).refunded == Cents(4'000));
  CHECK_FALSE(charge_in(then.world()).refunded_at);

  then.then().when(refund(6'001)).refused(Rejection::kRefundNotAllowed).records_nothing();
  auto rest = then.then().after(5).when(refund());
  CHECK(amount_refunded(rest.done()) == Cents(6'000));
  CHECK(charge_in(rest.world()).status == ChargeStatus::kRefunded);
  CHECK(charge_in(rest.world()).refunded_at == kStart.plus_millis(5));
  rest.then().when(refund()).refused(Rejection::kTransactionStatus);
  rest.then().when(refund(1)).refused(Rejection::kTransactionStatus);
}

TEST_CASE("a refund is above zero and at most what was paid") {
  const auto charge = a_charge().and_given({on_charge(paid(7'500))});
  for (const std::int64_t cents : {7'501LL, 10'000LL, 0LL, -1LL})
    charge.when(refund(cents)).refused(Rejection::kRefundNotAllowed).records_nothing();
  charge.when(refund(7'500)).done();
  CHECK(amount_refunded(charge.when(refund())) == Cents(7'500));
}

TEST_CASE("a charge is refunded a hundred times at most, even if something is left") {
  auto charge = a_charge().and_given({on_charge(paid())});
  for (std::uint32_t i = 1; i < kRefundsMax; ++i) charge = charge.and_given({refunded(1)});
  charge.when(refund(1)).done();
  auto full = charge.and_given({refunded(1)});
  full.when(refund(1)).refused(Rejection::kRefundLimit).records_nothing();
  full.when(refund()).refused(Rejection::kRefundLimit).records_nothing();
}

TEST_CASE("a refund is possible for 90 days after the payment, to the millisecond") {
  const auto charge = a_charge().and_given({on_charge(paid())});
  charge.after(90 * kDayMs).when(refund()).done();
  charge.after(90 * kDayMs + 1).when(refund()).refused(Rejection::kRefundWindowOver).records_nothing();
}

TEST_CASE("the refund window counts from the payment, not from when it was reported or accepted") {
  const PaymentLeftUnapplied late{sample_end_to_end_id(), Cents(10'000), kStart,
                                  PaymentFlag::kPaidAfterClose};
  const auto accepted =
      a_charge()
          .and_given({on_charge(ChargeCancelled{}), on_charge(late)})
          .after(60 * kDayMs)
          .and_given({on_charge(UnappliedPaymentAccepted{sample_end_to_end_id(), std::nullopt})});
  accepted.after(30 * kDayMs).when(refund()).done();
  accepted.after(30 * kDayMs + 1).when(refund()).refused(Rejection::kRefundWindowOver);
}

TEST_CASE("webhooks tell merchants the changes of a charge and its money, in order") {
  using Webhooks = std::vector<WebhookEvent>;
  const auto after = [](const std::vector<ChargeEvent>& events) {
    std::optional<Charge> charge = apply(std::optional<Charge>(), ChargeEvent(sample_charge()), kStart);
    for (const auto& event : events) charge = apply(std::move(charge), event, kStart);
    return webhook_events_of(events.back(), *charge);
  };
  const PaymentLeftUnapplied unapplied{sample_end_to_end_id(2), Cents(1), kStart,
                                       PaymentFlag::kAmountMismatch};
  const std::optional<Label> why;
  CHECK(after({sample_charge()}) == Webhooks{WebhookEvent::kTransactionCreated});
  CHECK(after({paid()}) == Webhooks{WebhookEvent::kTransactionPaid});
  CHECK(after({ChargeExpired{}}) == Webhooks{WebhookEvent::kTransactionExpired});
  CHECK(after({ChargeCancelled{}}) == Webhooks{WebhookEvent::kTransactionCancelled});
  CHECK(after({ChargeFailed{why}}) == Webhooks{WebhookEvent::kTransactionFailed});
  CHECK(after({ChargeProcessingStarted{}}).empty());
  CHECK(after({paid(), ChargeRefunded{Cents(10'000), why}}) == Webhooks{WebhookEvent::kTransactionRefunded});
  CHECK(after({paid(), ChargeRefunded{Cents(9'999), why}}) ==
        Webhooks{WebhookEvent::kTransactionPartiallyRefunded});
  CHECK(after({unapplied}) == Webhooks{WebhookEvent::kPaymentUnapplied});
  CHECK(after({unapplied, UnappliedPaymentAccepted{sample_end_to_end_id(2), {}}}) ==
        Webhooks{WebhookEvent::kTransactionPaid, WebhookEvent::kPaymentSettled});
  CHECK(after({unapplied, UnappliedPaymentReturned{sample_end_to_end_id(2), why}}) ==
        Webhooks{WebhookEvent::kPaymentSettled});
}

TEST_CASE("a charge's updated time is that of its last event") {
  const PaymentLeftUnapplied unapplied{sample_end_to_end_id(2), Cents(1), kStart,
                                       PaymentFlag::kAmountMismatch};
  const auto world =
      a_charge().after(7).and_given({on_charge(unapplied)}).when(ExpireOverdueCharge{sample_charge_id()});
  CHECK(charge_in(world.world()).created_at == kStart);
  CHECK(charge_in(world.world()).updated_at == kStart.plus_millis(7));
}

TEST_CASE("events without a creation fold to no charge") {
  CHECK_FALSE(apply(std::optional<Charge>(), ChargeEvent(ChargeCancelled{}), kStart));
}

}  // namespace pixledger::tests
