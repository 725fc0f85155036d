#pragma once

#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about customers. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const Project* project, const Customer* customer, const SaveCustomer&, const Context&);
Decision decide(const Customer* customer, const BlockCustomer&, const Context&);
Decision decide(const Customer* customer, const UnblockCustomer&, const Context&);
Decision decide(const Customer* customer, const EraseCustomer&, const Context&);

}  // namespace pixledger::domain
