#include "domain/rules/payment_rules.h"

namespace pixledger::domain {
namespace {

constexpr const char* kSettled = "the payment was settled";

struct PaymentRules {
  const UnmatchedPayment* payment;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const PaymentUnmatched& event) const {
    return first_broken({{payment == nullptr, kNotFirst},
                         {recorded.stream == payment_stream(event.end_to_end_id), kOtherStream},
                         {event.amount > Cents(0), "it is of nothing"},
                         {is_not_ahead(event.paid_at), "the payment is in the future"}});
  }
  Problem operator()(const PaymentAssigned&) const { return open_before(); }
  Problem operator()(const PaymentClosed&) const { return open_before(); }
  Problem operator()(const PaymentReturnRequested&) const {
    if (!payment) return kNothingThere;
    return first_broken(
        {{may_lie_aside(), kSettled},
         {at <= payment->paid_at.plus_millis(kRefundWindowMs), "the time for returns was over"}});
  }
  Problem operator()(const PaymentReturned& event) const {
    if (!payment) return kNothingThere;
    return first_broken({{may_lie_aside() || is_returning(event.id), kSettled},
                         {is_not_ahead(event.returned_at), "it went back in the future"}});
  }
  Problem operator()(const UnmatchedPaymentReversed& event) const {
    if (!payment) return kNothingThere;
    const bool is_returning = payment->state == UnmatchedState::kReturning;
    return first_broken(
        {{may_lie_aside() || is_returning, kSettled},
         {!has_counted(payment->reversed, event.id, event.return_id), kCounted},
         {event.amount > Cents(0) && sum_of(payment->reversed) + event.amount <= payment->amount,
          "more goes back than arrived"},
         {is_not_ahead(event.reversed_at), "it went back in the future"}});
  }
  Problem operator()(const PaymentReturnFailed& event) const {
    if (!payment) return kNothingThere;
    return first_broken({{is_returning(event.id), "it was not on its way back"}});
  }

 private:
  bool is_not_ahead(Timestamp moment) const { return moment <= at.plus_millis(kPaymentAheadMsMax); }
  bool is_returning(const RefundId& id) const {
    return payment->state == UnmatchedState::kReturning && payment->return_id == id;
  }
  // Closing moves no money. As far as the payment itself tells: whether a charge has it since is told by who
  // has the name of its end-to-end id.
  bool may_lie_aside() const { return is_open(*payment) || payment->state == UnmatchedState::kClosed; }
  Problem open_before() const {
    if (!payment) return kNothingThere;
    return first_broken({{is_open(*payment), kSettled}});
  }
};

}  // namespace

Problem broken_payment_rule(const UnmatchedPayment* payment, const RecordedEvent& recorded,
                            const PaymentEvent& event) {
  return std::visit(PaymentRules{payment, recorded}, event);
}

}  // namespace pixledger::domain
