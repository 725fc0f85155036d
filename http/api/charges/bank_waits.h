#pragma once

#include <optional>

#include "base/http/message/request.h"
#include "eventstore/executor/executor.h"
#include "http/routing/answer.h"
#include "http/services/services.h"
#include "http/services/worker_records.h"

// Requests that wait for a bank: the worker that calls the bank replies through the ledger. A reply depends
// only on the first event that ends the wait, so repeats get the same.
namespace pixledger::http {

// Reserves a wait for the code of a charge through a bank; null if the creation will not wait. Call it before
// the command, so that the limit holds for concurrent requests.
BankPresence::Place reserve_code_wait(const Services& services, const Caller& caller,
                                      const std::optional<domain::ConnectionId>& connection);

// Whether reserve_code_wait returns null now for every connection.
bool creations_need_no_bank(const Services& services);

// Replies to a creation with the charge's code once that is decided. The wait keeps `place`. It may be null:
// a repeat waits under the first request's place.
Answer answer_creation(const Services& services, const Request& request,
                       const eventstore::Completed& completed, BankPresence::Place place);

// Replies to a cancellation once the bank has cancelled its code, or has failed to.
Answer answer_cancellation(const Services& services, const Request& request, const domain::ChargeId& id,
                           const eventstore::Completed& completed);

// The charge and its customer as of a position, and why a reported payment did not pay it.
Reply render_as_of(const Services& services, const domain::ChargeId& id, Position as_of,
                   std::optional<domain::PaymentFlag> flag = std::nullopt);

}  // namespace pixledger::http
