#pragma once

#include <optional>

#include "base/http/message/request.h"
#include "eventstore/executor/executor.h"
#include "http/routing/answer.h"
#include "http/services/services.h"
#include "http/services/worker_records.h"

// What the requests wait for whose charges go through a bank: the worker that asks it speaks through the
// ledger. Each answer is a function of the first event that ends its wait, so that repeats get the same.
namespace pixledger::http {

// Of a charge that will have its code from a bank; null where there will be no waiting. Taken before the
// command, so that however many come at once no more of them wait than may.
BankPresence::Place reserve_code_wait(const Services& services, const Caller& caller,
                                      const std::optional<domain::ConnectionId>& connection);

// Whether reserve_code_wait gives none now, whatever the connection.
bool creations_need_no_bank(const Services& services);

// Of a charge that was created: with its code, once there is a decision on that. Whoever waits keeps its
// `place`, which may be null: a repeat waits for what the first request was given one for.
Answer answer_creation(const Services& services, const Request& request,
                       const eventstore::Completed& completed, BankPresence::Place place);

// Of a cancellation that was done or asked for: once the bank has taken its code back, or has not.
Answer answer_cancellation(const Services& services, const Request& request, const domain::ChargeId& id,
                           const eventstore::Completed& completed);

// The charge and its customer as they were then, and why a payment that was reported did not pay it.
Reply render_as_of(const Services& services, const domain::ChargeId& id, Position as_of,
                   std::optional<domain::PaymentFlag> flag = std::nullopt);

}  // namespace pixledger::http
