#pragma once

#include "domain/aggregates/charge.h"
#include "domain/decisions/decision.h"

// What the decisions about charges have in common.
namespace pixledger::domain {

inline Decision record(const Charge& charge, ChargeEvent event) {
  return record(charge_stream(charge.id), charge.project, std::move(event));
}

// Any operation that meets an overdue charge records its expiry, before what it came for.
inline Decision after_expiry(const Charge& charge, Timestamp now, Decision decision) {
  if (!is_overdue(charge, now)) return decision;
  decision.events.insert(decision.events.begin(),
                         NewEvent{charge_stream(charge.id), charge.project, ChargeEvent(ChargeExpired{})});
  return decision;
}

inline Decision refuse_for_status(const Charge& charge, Timestamp now) {
  return after_expiry(charge, now, refuse(Rejection::kTransactionStatus));
}

inline bool awaits_payment(const Charge& charge, Timestamp now) {
  return charge.status == ChargeStatus::kWaitingPayment && !is_overdue(charge, now);
}

inline bool can_fail(const Charge& charge, Timestamp now) {
  return charge.status == ChargeStatus::kProcessing || awaits_payment(charge, now);
}

}  // namespace pixledger::domain
