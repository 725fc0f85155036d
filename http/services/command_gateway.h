#pragma once

#include <chrono>

#include "eventstore/executor/executor.h"
#include "http/message/work_budget.h"
#include "http/metrics/refusal_metrics.h"
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
  // All outlive it.
  CommandGateway(eventstore::Executor& executor, projections::Projector& projector, RefusalMetrics& refusals)
      : executor_(executor), projector_(projector), refusals_(refusals) {}

  // Throws WorkGivenUp when the budget is over before the outcome is durable, which is not known then.
  eventstore::Result execute(eventstore::Request request, const WorkBudget& budget);

 private:
  eventstore::Executor& executor_;
  projections::Projector& projector_;
  RefusalMetrics& refusals_;
};

}  // namespace pixledger::http
