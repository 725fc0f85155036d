#include <algorithm>

#include "domain/aggregates/charge_payments.h"
#include "domain/decisions/charge_outcome.h"
#include "domain/decisions/decide.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {
namespace {

constexpr const char* kStatus = "the charge's status did not allow it";

bool is_not_ahead(Timestamp paid_at, Timestamp at) { return paid_at <= at.plus_millis(kPaymentAheadMsMax); }

bool is_in_time(const Payment& payment, Timestamp at) {
  return at <= payment.paid_at.plus_millis(kRefundWindowMs);
}

// What goes back of a charge's payments is no more than was paid.
Problem more_than_paid(const Charge& charge, Cents amount) {
  const auto back = charge.refunded + amount;
  if (amount > Cents(0) && back <= charge.payment->amount) return std::nullopt;
  return "more goes back of " + charge_stream(charge.id).text() + " than was paid: " + to_decimal(back) +
         " of " + to_decimal(charge.payment->amount);
}

// Nor of one of them through its bank.
Problem more_than_paid(const Charge& charge, const std::optional<EndToEndId>& added, Cents amount) {
  if (auto problem = more_than_paid(charge, amount)) return problem;
  const auto of = counted_payment(charge, payment_of(charge, added));
  if (!of) return "the payment does not count for the charge";
  if (of->gone_back + amount <= of->payment.amount) return std::nullopt;
  return "more goes back of payment " + of->payment.end_to_end_id.text() +
         " than it was: " + to_decimal(of->gone_back + amount) + " of " + to_decimal(of->payment.amount);
}

struct ChargeRules {
  const Charge* charge;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const ChargeCreated& event) const {
    return first_broken({{charge == nullptr, kNotFirst},
                         {recorded.stream == charge_stream(event.id), kOtherStream},
                         {event.amount > Cents(0) && event.quantity > 0, "it is of nothing"},
                         {event.expires_at >= at, "it had expired before"}});
  }
  Problem operator()(const ChargePaid& event) const {
    if (!charge) return kNothingThere;
    return first_broken(
        {{!charge->payment, "the charge had been paid"},
         {!has_payment(*charge, event.end_to_end_id), "the payment was known already"},
         {is_not_ahead(event.paid_at, at), "the payment is in the future"},
         {!flag_of(*charge, event.amount, event.paid_at), "the payment does not fit the charge"},
         {!event.fee || *event.fee <= event.amount, kFeeTooHigh}});
  }
  Problem operator()(const ChargeProcessingStarted&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at), kStatus}});
  }
  Problem operator()(const ChargeExpired&) const {
    if (!charge) return kNothingThere;
    return first_broken(
        {{charge->status == ChargeStatus::kWaitingPayment, kStatus},
         {charge->environment == Environment::kSandbox || at >= charge->expires_at, "it was not due"}});
  }
  Problem operator()(const ChargeCancelled&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at), kStatus}});
  }
  Problem operator()(const ChargeFailed&) const {
    if (!charge) return kNothingThere;
    return first_broken({{can_fail(*charge, at) || awaits_code(*charge), kStatus}});
  }
  Problem operator()(const ChargeRefunded& event) const {
    if (!charge) return kNothingThere;
    if (charge->status != ChargeStatus::kPaid || !charge->payment) return kStatus;
    if (auto problem = more_than_paid(*charge, event.amount)) return problem;
    const auto payments = counted_payments(*charge);
    return first_broken({{std::any_of(payments.begin(), payments.end(),
                                      [&](const auto& counted) { return is_in_time(counted.payment, at); }),
                          kNoTimeLeft}});
  }
  Problem operator()(const PaymentLeftUnapplied& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{event.amount > Cents(0), "it is of nothing"},
                         {!has_payment(*charge, event.end_to_end_id), "the payment was known already"},
                         {is_not_ahead(event.paid_at, at), "the payment is in the future"},
                         {flag_of(*charge, event.amount, event.paid_at) == event.flag,
                          "its flag is not the one that the charge's state gives"}});
  }
  Problem operator()(const UnappliedPaymentAccepted& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment != nullptr, kNoSuchPayment},
                         {payment && !payment->return_id, kOnItsWay},
                         {!charge->payment, "the charge had been paid"}});
  }
  Problem operator()(const UnappliedPaymentAdded& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment != nullptr, kNoSuchPayment},
                         {payment && !payment->return_id, kOnItsWay},
                         {charge->status == ChargeStatus::kPaid && charge->payment, kStatus},
                         {charge->added.size() + 1 < kCountedPaymentsMax, "more payments count than may"},
                         {payment && (!event.fee || *event.fee <= payment->amount), kFeeTooHigh}});
  }
  Problem operator()(const UnappliedPaymentReturned& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken(
        {{payment != nullptr, kNoSuchPayment},
         {payment && (!payment->return_id || payment->return_id == event.id), kOnItsWay},
         {event.id.has_value() == event.returned_at.has_value(), "it names half of a return"},
         {!event.returned_at || is_not_ahead(*event.returned_at, at), "it went back in the future"}});
  }
  Problem operator()(const UnappliedReturnRequested& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    if (!payment) return kNoSuchPayment;
    return first_broken(
        {{!payment->return_id, kOnItsWay},
         {at <= payment->paid_at.plus_millis(kRefundWindowMs), "the time for returns was over"}});
  }
  Problem operator()(const UnappliedReturnFailed& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment && payment->return_id == event.id, "it was not on its way back"}});
  }
  Problem operator()(const UnappliedPaymentReversed& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    if (!payment) payment = find_payment(charge->returned, event.end_to_end_id);
    if (!payment) return kNoSuchPayment;
    const bool is_new = !has_counted(payment->reversed, event.id, event.return_id);
    const bool is_there = sum_of(payment->reversed) + event.amount <= payment->amount;
    return first_broken({{!payment->returned_at && is_new, kCounted},
                         {event.amount > Cents(0) && is_there, "more goes back than arrived"},
                         {is_not_ahead(event.reversed_at, at), "it went back in the future"}});
  }
  Problem operator()(const ChargeCodeSet& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_code(*charge), "the charge awaited no code"},
                         {event.kind == CodeKind::kDynamic || event.pix_code == charge->pix_code,
                          "the static code is not the charge's"}});
  }
  Problem operator()(const ChargeCancelRequested&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at) && charge->code_kind == CodeKind::kDynamic &&
                              !charge->cancel_requested_at,
                          kStatus}});
  }
  Problem operator()(const ChargeCancelDropped&) const {
    if (!charge) return kNothingThere;
    return first_broken({{charge->cancel_requested_at.has_value(), "nobody had asked for it"}});
  }
  Problem operator()(const RefundRequested& event) const {
    if (!charge) return kNothingThere;
    if (charge->status != ChargeStatus::kPaid || !charge->payment) return kStatus;
    const auto of = counted_payment(*charge, payment_of(*charge, event.end_to_end_id));
    if (!of) return kNoSuchPayment;
    return first_broken(
        {{charge->through_bank, "no bank moves the charge's money"},
         {!refund(event.id), "there was such a refund already"},
         {event.amount > Cents(0) && event.amount <= of->left(), "more is refunded than was paid"},
         {is_in_time(of->payment, at), kNoTimeLeft}});
  }
  Problem operator()(const RefundDone& event) const {
    if (!charge) return kNothingThere;
    if (!is_pending(event.id) || !charge->payment) return kNoSuchRefund;
    const auto& done = *refund(event.id);
    if (auto problem = more_than_paid(*charge, done.payment, done.amount)) return problem;
    return first_broken({{is_not_ahead(event.settled_at, at), "it was done in the future"}});
  }
  Problem operator()(const RefundFailed& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{is_pending(event.id), kNoSuchRefund}});
  }
  Problem operator()(const PaymentReversed& event) const {
    if (!charge) return kNothingThere;
    if (!charge->payment) return kStatus;
    if (auto problem = more_than_paid(*charge, event.end_to_end_id, event.amount)) return problem;
    return first_broken({{is_not_ahead(event.reversed_at, at), "it came back in the future"}});
  }

 private:
  static constexpr const char* kNoSuchRefund = "there was no such refund pending";
  static constexpr const char* kNoSuchPayment = "there was no such payment";
  static constexpr const char* kOnItsWay = "the payment was on its way back";
  static constexpr const char* kNoTimeLeft = "the time for refunds was over";
  static constexpr const char* kFeeTooHigh = "the fee is above the payment";

  const UnappliedPayment* unapplied(const EndToEndId& id) const {
    return find_payment(charge->unapplied, id);
  }

  const Refund* refund(const RefundId& id) const {
    const auto found = std::find_if(charge->refund_list.begin(), charge->refund_list.end(),
                                    [&](const Refund& other) { return other.id == id; });
    return found == charge->refund_list.end() ? nullptr : &*found;
  }
  bool is_pending(const RefundId& id) const {
    const auto* found = refund(id);
    return found && found->status == RefundStatus::kPending;
  }
};

}  // namespace

Problem broken_charge_rule(const Charge* charge, const RecordedEvent& recorded, const ChargeEvent& event) {
  return std::visit(ChargeRules{charge, recorded}, event);
}

}  // namespace pixledger::domain
