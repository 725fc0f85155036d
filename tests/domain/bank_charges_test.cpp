#include <catch2/catch.hpp>
#include <string>

#include "domain/decisions/decide.h"
#include "domain/rules/event_rules.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

// Charges whose money a bank moves: the code awaited from it, cancellations that it must confirm first, and
// refunds that are pending until it has settled them.
namespace pixledger::tests {
namespace {

using namespace domain;

constexpr std::int64_t kDeadlineMs = 2'500;
constexpr const char* kCode = "00020101021226580014br.gov.bcb.pix2536bank.example/qr/v2/abc6304ABCD";

ChargeCreated bank_charge(CodeFallback fallback = CodeFallback::kStatic) {
  auto created = sample_charge(Environment::kLive);
  created.through_bank = true;
  created.code_awaited_until = kStart.plus_millis(kDeadlineMs);
  created.code_fallback = fallback;
  return created;
}

Given awaiting(CodeFallback fallback = CodeFallback::kStatic) {
  return given({on_project(sample_project()), on_charge(bank_charge(fallback))});
}
Given with_dynamic_code() {
  return awaiting().and_given({on_charge(ChargeCodeSet{CodeKind::kDynamic, kCode})});
}
Given paid_there(std::int64_t cents = 10'000) {
  return with_dynamic_code().and_given(
      {on_charge(ChargePaid{sample_end_to_end_id(), Cents(cents), kStart, std::nullopt})});
}

NewEvent static_code() {
  return on_charge(ChargeCodeSet{CodeKind::kStatic, sample_charge(Environment::kLive).pix_code});
}

const SetChargeCode set_code{sample_charge_id(), kCode};
const EndCodeWait end_wait{sample_charge_id()};
const CancelCharge cancel{merchant(), sample_charge_id()};

RefundCharge refund(std::optional<std::int64_t> cents = std::nullopt) {
  RefundCharge command{merchant(), sample_charge_id(), std::nullopt, std::nullopt};
  if (cents) command.amount = Cents(*cents);
  return command;
}

Charge charge_in(const World& world) { return *world.find<Charge>(charge_stream(sample_charge_id())); }

RefundId requested_in(const Then& then) {
  REQUIRE(then.decision().events.size() == 1);
  return std::get<RefundRequested>(std::get<ChargeEvent>(then.decision().events[0].event)).id;
}

ReportReversal reversal(std::int64_t cents, unsigned number = 1) {
  return {.project = sample_project_id(),
          .charge = sample_charge_id(),
          .id = parsed<RefundId>("med" + std::to_string(number)),
          .return_id = parsed<ReturnId>("D182361202026030112000000000000" + std::to_string(number)),
          .amount = Cents(cents),
          .reversed_at = kStart};
}

}  // namespace

TEST_CASE("the first decision on a code holds, and a later one changes nothing") {
  const auto by_bank = awaiting().when(set_code);
  by_bank.done().records({on_charge(ChargeCodeSet{CodeKind::kDynamic, kCode})});
  CHECK(charge_in(by_bank.world()).pix_code == kCode);
  by_bank.then().after(kDeadlineMs).when(end_wait).done().records_nothing();

  const auto by_time = awaiting().after(kDeadlineMs).when(end_wait);
  by_time.done().records({static_code()});
  by_time.then().when(set_code).done().records_nothing();
}

TEST_CASE("a charge without a code fails if no static code is allowed, and no webhook tells of it") {
  const auto failed = awaiting(CodeFallback::kNone).after(kDeadlineMs).when(end_wait);
  failed.done().records({on_charge(ChargeFailed{std::nullopt})});
  const auto charge = charge_in(failed.world());
  CHECK(charge.status == ChargeStatus::kFailed);
  CHECK(webhook_events_of(ChargeFailed{std::nullopt}, charge).empty());
  failed.then().when(set_code).done().records_nothing();
  awaiting(CodeFallback::kNone)
      .when(set_code)
      .done()
      .records({on_charge(ChargeCodeSet{CodeKind::kDynamic, kCode})});
}

TEST_CASE("a charge that fails without a code is valid, however late that is recorded") {
  const auto late = awaiting(CodeFallback::kNone).at(kStart.plus_millis(kDayMs));
  late.when(ExpireOverdueCharge{sample_charge_id()}).records({on_charge(ChargeFailed{std::nullopt})});
  const auto stream = charge_stream(sample_charge_id());
  const AggregateState before(
      *apply(std::optional<Charge>(), ChargeEvent(bank_charge(CodeFallback::kNone)), kStart));
  CHECK_FALSE(broken_rule(&before, {Position(9), stream, 2, kStart.plus_millis(kDayMs), sample_project_id(),
                                    "test", "", ChargeEvent(ChargeFailed{std::nullopt})}));
}

TEST_CASE("a creation's webhook is sent with the code, once it is decided") {
  const auto charge = charge_in(awaiting().when(set_code).world());
  CHECK(webhook_events_of(bank_charge(), charge).empty());
  CHECK(webhook_events_of(ChargeCodeSet{CodeKind::kDynamic, kCode}, charge) ==
        std::vector{WebhookEvent::kTransactionCreated});
}

TEST_CASE("a change of a charge that awaits its code, in time or late, ends the wait first") {
  awaiting()
      .when(sample_report())
      .records(
          {static_code(), on_charge(ChargePaid{sample_end_to_end_id(), Cents(10'000), kStart, Cents(110)})});
  // Its static code could be paid until then, even without that fallback.
  awaiting(CodeFallback::kNone).when(cancel).records({static_code(), on_charge(ChargeCancelled{})});
  const auto late = awaiting(CodeFallback::kNone).after(kDeadlineMs);
  late.when(cancel).refused(Rejection::kTransactionStatus).records({on_charge(ChargeFailed{std::nullopt})});
  late.when(sample_report())
      .flagged(PaymentFlag::kPaidAfterClose)
      .records(
          {on_charge(ChargeFailed{std::nullopt}),
           on_charge(PaymentLeftUnapplied{sample_end_to_end_id(), Cents(10'000),
                                          kStart.plus_millis(kDeadlineMs), PaymentFlag::kPaidAfterClose})});
  late.when(ExpireOverdueCharge{sample_charge_id()}).records({on_charge(ChargeFailed{std::nullopt})});
  // A command without effect does not end the wait in time.
  awaiting().when(ExpireOverdueCharge{sample_charge_id()}).done().records_nothing();
  awaiting().when(refund()).refused(Rejection::kTransactionStatus).records_nothing();
}

TEST_CASE("a bank takes its code back before the charge is cancelled; a static one goes at once") {
  const auto asked = with_dynamic_code().when(cancel);
  asked.done().records({on_charge(ChargeCancelRequested{})});
  CHECK(charge_in(asked.world()).status == ChargeStatus::kWaitingPayment);
  asked.then().when(cancel).done().records_nothing();
  asked.then().when(ConfirmCancel{sample_charge_id()}).done().records({on_charge(ChargeCancelled{})});
  const auto dropped = asked.then().when(DropCancel{sample_charge_id()});
  dropped.done().records({on_charge(ChargeCancelDropped{})});
  dropped.then().when(cancel).done().records({on_charge(ChargeCancelRequested{})});

  const auto paid = asked.then().when(sample_report());
  paid.done();
  paid.then().when(ConfirmCancel{sample_charge_id()}).done().records({on_charge(ChargeCancelDropped{})});
  paid.then().when(cancel).refused(Rejection::kTransactionStatus);

  with_dynamic_code().when(ConfirmCancel{sample_charge_id()}).done().records_nothing();
  awaiting().and_given({static_code()}).when(cancel).done().records({on_charge(ChargeCancelled{})});
}

TEST_CASE("a refund is pending until the bank has settled it, and counts from then on") {
  const auto asked = paid_there().when(refund(4'000));
  const auto id = requested_in(asked);
  CHECK(id.text().substr(0, 2) == "rc");
  CHECK(charge_in(asked.world()).refunded == Cents(0));
  CHECK(pending_refunds(charge_in(asked.world())) == Cents(4'000));
  CHECK(webhook_events_of(RefundRequested{id, Cents(4'000), std::nullopt}, charge_in(asked.world())).empty());
  // A pending amount is not refunded twice.
  asked.then().when(refund(6'001)).refused(Rejection::kRefundNotAllowed);
  const auto rest = requested_in(asked.then().when(refund()));
  CHECK(rest != id);

  const auto done = asked.then().after(7).when(SettleRefund{sample_charge_id(), id, kStart.plus_millis(5)});
  done.done().records({on_charge(RefundDone{id, kStart.plus_millis(5)})});
  const auto charge = charge_in(done.world());
  CHECK(charge.refunded == Cents(4'000));
  CHECK(charge.status == ChargeStatus::kPaid);
  REQUIRE(charge.refund_list.size() == 1);
  CHECK(charge.refund_list[0].status == RefundStatus::kDone);
  CHECK(webhook_events_of(RefundDone{id, kStart}, charge) ==
        std::vector{WebhookEvent::kTransactionPartiallyRefunded});
  CHECK(refund_done_by(RefundDone{id, kStart}, charge)->amount == Cents(4'000));
  done.then().when(SettleRefund{sample_charge_id(), id, kStart}).done().records_nothing();
  done.then().when(FailRefund{sample_charge_id(), id}).done().records_nothing();
}

TEST_CASE("a refund that fails leaves its amount free") {
  const auto asked = paid_there().when(refund());
  const auto id = requested_in(asked);
  asked.then().when(refund(1)).refused(Rejection::kRefundNotAllowed);
  const auto failed = asked.then().when(FailRefund{sample_charge_id(), id});
  failed.done().records({on_charge(RefundFailed{id})});
  CHECK(charge_in(failed.world()).refund_list[0].status == RefundStatus::kFailed);
  failed.then().when(refund()).done();
  paid_there().when(FailRefund{sample_charge_id(), id}).refused(Rejection::kRefundNotFound);
}

TEST_CASE("money that the bank itself returns counts once, whatever else is returned") {
  const auto back = paid_there().when(reversal(3'000));
  back.done();
  const auto charge = charge_in(back.world());
  CHECK(charge.refunded == Cents(3'000));
  CHECK(charge.refund_list[0].origin == RefundOrigin::kBank);
  back.then().when(reversal(3'000)).done().records_nothing();
  back.then().when(reversal(7'001, 2)).refused(Rejection::kRefundNotAllowed);
  const auto all = back.then().when(reversal(7'000, 2));
  CHECK(charge_in(all.done().world()).status == ChargeStatus::kRefunded);
  with_dynamic_code().when(reversal(1)).refused(Rejection::kTransactionStatus);
  paid_there().after(-kPaymentAheadMsMax - 1).when(reversal(1)).refused(Rejection::kPaymentInFuture);
}

TEST_CASE("a return counts once by its devolução's id, under whatever name it comes") {
  const auto back = paid_there().when(reversal(3'000));
  auto named = reversal(3'000, 2);
  named.id = reversal(3'000).id;
  back.done().then().when(named).done().records_nothing();
}

TEST_CASE("a refund with nothing left is not settled") {
  const auto asked = paid_there().when(refund(6'000));
  const auto id = requested_in(asked);
  const auto back = asked.then().when(reversal(4'001));
  back.done();
  const SettleRefund settle{sample_charge_id(), id, kStart};
  back.then().when(settle).refused(Rejection::kRefundNotAllowed).records_nothing();
  asked.then().when(reversal(4'000)).then().when(settle).done();
  // A pending refund may still return money; a failed one does not.
  back.then().when(FailRefund{sample_charge_id(), id}).done();
}

TEST_CASE("refunds of other connections are done at once, and have ids") {
  const auto charge = given({on_project(sample_project()), on_charge(sample_charge()),
                             on_charge(ChargePaid{sample_end_to_end_id(), Cents(10'000), kStart, {}})});
  const auto refunded = charge.and_given({on_charge(ChargeRefunded{Cents(1), std::nullopt})}).when(refund());
  const auto list = charge_in(refunded.done().world()).refund_list;
  REQUIRE(list.size() == 2);
  CHECK(list[0].id.text() == "r" + sample_charge_id().text() + "1");
  CHECK(list[1].id.text().substr(0, 2) == "rc");
  CHECK(list[1].settled_at == kStart);
}

}  // namespace pixledger::tests
