#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/aggregates/event.h"

// Charges computed by counting their events, without the domain's apply.
namespace pixledger::tests::counting {

struct Money {
  std::int64_t cents;
  Timestamp at;
};

struct Facts {
  domain::ProjectId project;
  domain::Environment environment;
  Timestamp created_at;
  std::int64_t amount;
  std::int64_t paid = 0;
  std::int64_t refunded = 0;
  domain::ChargeStatus status = domain::ChargeStatus::kWaitingPayment;
  std::map<std::string, Money> unapplied{};
  std::optional<Timestamp> paid_at{};
  std::int64_t fee = 0;
  std::vector<std::int64_t> added_fees{};
  std::vector<std::pair<Timestamp, std::int64_t>> refunds{};
};

struct Tell {
  std::map<std::string, Facts>& charges;
  const domain::RecordedEvent& event;

  Facts& facts() const { return charges.at(event.stream.text()); }
  void become(domain::ChargeStatus status) const { facts().status = status; }
  void pay(const Money& payment, const std::optional<domain::Cents>& fee) const {
    facts().paid = payment.cents;
    facts().paid_at = payment.at;
    facts().fee = fee ? fee->value() : 0;
    become(domain::ChargeStatus::kPaid);
  }

  void operator()(const domain::ChargeCreated& created) const {
    charges.emplace(event.stream.text(),
                    Facts{event.project, created.environment, event.recorded_at, created.amount.value()});
  }
  void operator()(const domain::ChargePaid& paid) const {
    pay({paid.amount.value(), paid.paid_at}, paid.fee);
  }
  void operator()(const domain::ChargeProcessingStarted&) const { become(domain::ChargeStatus::kProcessing); }
  void operator()(const domain::ChargeExpired&) const { become(domain::ChargeStatus::kExpired); }
  void operator()(const domain::ChargeCancelled&) const { become(domain::ChargeStatus::kCancelled); }
  void operator()(const domain::ChargeFailed&) const { become(domain::ChargeStatus::kFailed); }
  void operator()(const domain::ChargeRefunded& refund) const {
    facts().refunded += refund.amount.value();
    facts().refunds.emplace_back(event.recorded_at, refund.amount.value());
    if (facts().refunded == facts().paid) become(domain::ChargeStatus::kRefunded);
  }
  void operator()(const domain::PaymentLeftUnapplied& left) const {
    facts().unapplied[left.end_to_end_id.text()] = {left.amount.value(), left.paid_at};
  }
  void operator()(const domain::UnappliedPaymentAccepted& accepted) const {
    pay(facts().unapplied.at(accepted.end_to_end_id.text()), accepted.fee);
  }
  void operator()(const domain::UnappliedPaymentAdded& added) const {
    const auto& payment = facts().unapplied.at(added.end_to_end_id.text());
    const auto fee = added.fee ? added.fee->value() : 0;
    facts().added_fees.push_back(fee);
    facts().paid += payment.cents;
    facts().fee += fee;
  }
  void operator()(const domain::UnappliedPaymentReturned&) const {}
  // Events of charges through a bank, which do not occur here.
  void operator()(const domain::ChargeCodeSet&) const {}
  void operator()(const domain::ChargeCancelRequested&) const {}
  void operator()(const domain::ChargeCancelDropped&) const {}
  void operator()(const domain::RefundRequested&) const {}
  void operator()(const domain::RefundDone&) const {}
  void operator()(const domain::RefundFailed&) const {}
  void operator()(const domain::PaymentReversed&) const {}
  void operator()(const domain::UnappliedReturnRequested&) const {}
  void operator()(const domain::UnappliedReturnFailed&) const {}
  void operator()(const domain::UnappliedPaymentReversed&) const {}
};

}  // namespace pixledger::tests::counting
