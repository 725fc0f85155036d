#pragma once

#include <chrono>

#include "eventstore/executor/executor.h"
#include "http/message/work_budget.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// How long an answer waits for the views after its command is durable. Should they lag longer it is still
// given, so that nobody charges twice.
constexpr std::chrono::milliseconds kViewLagMax{1000};

// Between the endpoints and the executor: submits a command and waits until its outcome is durable and the
// server's own views show it. The one place where a request's thread blocks for a command; an event loop
// would replace it.
class CommandGateway {
 public:
  CommandGateway(eventstore::Executor& executor, projections::Projector& projector)
      : executor_(executor), projector_(projector) {}

  // Throws WorkGivenUp when the budget is over before the outcome is durable, which is not known then.
  eventstore::Result execute(eventstore::Request request, const WorkBudget& budget);

 private:
  eventstore::Executor& executor_;
  projections::Projector& projector_;
};

}  // namespace pixledger::http
