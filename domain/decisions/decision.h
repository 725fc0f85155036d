#pragma once

#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/rejection.h"
#include "domain/values/cuid.h"

namespace pixledger::domain {

// Time and ids that the log gives to one command. The decision depends only on context, state and command.
struct Context {
  Timestamp now;
  IdMint ids;
};

// The most ids that one decision may mint.
constexpr unsigned kIdsPerDecisionMax = 4;

// The result of a command. A rejection may have events as well: paying an overdue charge is refused and
// records the expiry.
struct Decision {
  std::vector<NewEvent> events;
  Outcome outcome;
};

inline Decision refuse(Rejection rejection) { return {{}, {rejection, {}}}; }
inline Decision nothing_to_do() { return {}; }
inline Decision record(StreamName stream, const ProjectId& project, Event event) {
  return {{NewEvent{std::move(stream), project, std::move(event)}}, {}};
}

// Helpers of the decisions about charges.

inline Decision record(const Charge& charge, ChargeEvent event) {
  return record(charge_stream(charge.id), charge.project, std::move(event));
}

// Prepends the expiry of an overdue charge to any decision about it.
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
