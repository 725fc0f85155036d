#pragma once

#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/rejection.h"
#include "domain/values/cuid.h"

namespace pixledger::domain {

// Time and ids, as the log gives them to one command. Same context, same state, same command: same decision.
struct Context {
  Timestamp now;
  IdMint ids;
};

// Ids that one decision may mint at most.
constexpr unsigned kIdsPerDecisionMax = 4;

// What a command comes to. A rejection may have events as well: an overdue charge that is paid too late is
// refused and expires.
struct Decision {
  std::vector<NewEvent> events;
  Outcome outcome;
};

inline Decision refuse(Rejection rejection) { return {{}, {rejection, {}}}; }
inline Decision nothing_to_do() { return {}; }
inline Decision record(StreamName stream, const ProjectId& project, Event event) {
  return {{NewEvent{std::move(stream), project, std::move(event)}}, {}};
}

// What the decisions about charges have in common.

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
