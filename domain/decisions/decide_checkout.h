#pragma once

#include "domain/aggregates/checkout_session.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decide_charge.h"
#include "domain/decisions/decision.h"

// The decisions about checkout sessions. Each is pure and lists its guards in the order in which the API
// documents its errors.
namespace pixledger::domain {

Decision decide(const CreationStates& states, const CreateCheckoutSession& command, const Context& context);

// `newest` is the charge that the command names, or nullptr.
Decision decide(const CreationStates& states, const CheckoutSession* session, const Charge* newest,
                const AddCheckoutCharge& command, const Context& context);

// `of_charge` is what cancelling the charge that the command names comes to, which may be that it cannot be.
Decision decide(const CheckoutSession* session, Decision of_charge, const CancelCheckoutSession& command,
                const Context& context);

Decision decide(const CheckoutSession* session, const ExpireCheckoutSession& command, const Context& context);

// What is recorded beside an event of a charge that belongs to a session; nothing beside most.
std::optional<NewEvent> session_event_beside(const Charge& charge, const ChargeEvent& event);

}  // namespace pixledger::domain
