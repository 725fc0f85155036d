#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "base/http/transport/exchange.h"
#include "eventstore/executor/executor.h"
#include "http/metrics/refusal_metrics.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// How long an answer waits for the views after its command is durable. Should they lag longer it is still
// given, so that nobody charges twice.
constexpr std::chrono::milliseconds kViewLagMax{1000};

// Between the requests and the executor: submits a command, and goes on once its outcome is durable and the
// server's own views show it. No thread waits meanwhile: the projector's posts all that a batch brings to the
// loops, each of which is woken once.
class CommandGateway {
 public:
  using Done = std::function<void(eventstore::Result)>;

  // All outlive it.
  CommandGateway(eventstore::Executor& executor, projections::Projector& projector, RefusalMetrics& refusals)
      : executor_(executor), projector_(projector), refusals_(refusals) {}

  // On the loop's thread of the request; `done` runs there too, once, unless the request was given up before.
  void submit(const Responder& responder, eventstore::Request command, Done done);

 private:
  class Call;
  class Batch;

  void on_durable(const std::shared_ptr<Call>& call, eventstore::Result result);

  eventstore::Executor& executor_;
  projections::Projector& projector_;
  RefusalMetrics& refusals_;
  std::mutex mutex_;
  std::shared_ptr<Batch> batch_;  // the last one that was committed
};

}  // namespace pixledger::http
