#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "base/http/transport/exchange.h"
#include "eventstore/executor/executor.h"
#include "http/dispatch/streaming_replies.h"
#include "http/dispatch/subscriptions.h"
#include "http/dispatch/worker_pool.h"
#include "http/metrics/command_metrics.h"
#include "http/routing/router.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// How long a reply waits for the views after its command is durable. If they lag longer, the reply is sent
// anyway, so that no client charges twice.
constexpr std::chrono::milliseconds kViewLagMax{1000};

// Submits commands to the executor and continues once the outcome is durable and this server's views show it.
// No thread blocks meanwhile: after each batch the projector's thread wakes each loop once.
class CommandGateway {
 public:
  using Done = std::function<void(eventstore::Result)>;

  // All outlive it.
  CommandGateway(eventstore::Executor& executor, projections::Projector& projector, RefusalMetrics& refusals)
      : executor_(executor), projector_(projector), refusals_(refusals) {}

  // Call on the request's loop thread. `done` runs there too, once, unless the request was abandoned before.
  void submit(const Responder& responder, eventstore::Request&& command, Done done);

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

// Passes requests from the transport to the operations, each on a thread that it cannot block. Short ones run
// on their connection's loop, longer ones on the pool, projects in turns. Commands and waits hold no thread.
// Thread-safe.
class Dispatcher {
 public:
  using LogFault = Subscriptions::LogFault;

  // All outlive it.
  struct Parts {
    const Router& router;
    projections::Projector& projector;
    CommandGateway& commands;
    Subscriptions& subscriptions;
    StreamingReplies& streams;
    WorkerPool& pool;
    WorkerPool& lookups;  // resolve names here, so that dead name servers delay nothing else
    WorkerPool& hashing;  // hashes passwords
    LogFault log_fault;
    std::function<void(const std::exception&)> note_fault;  // the exception may mean a damaged ledger
  };
  explicit Dispatcher(Parts parts) : parts_(std::move(parts)) {}

  // Call on the loop's thread.
  void serve(const Responder& responder);

  std::uint64_t refused_turns() const { return refused_turns_.load(std::memory_order_relaxed); }

 private:
  using Make = std::function<Answer()>;
  class Freshness;

  void serve_when_fresh(const Responder& responder, const Route& route);
  void run(const Responder& responder, Make make);
  // Makes the answer on this thread; the steps after it run on the loop.
  void make_answer(const Responder& responder, const Make& make);
  void give(const Responder& responder, Answer&& answer);
  void submit(const Responder& responder, Submission&& submission);
  void stream(const Responder& responder, std::shared_ptr<Pieces> pieces);
  void enter(WorkerPool& pool, const std::string& line, const Responder& responder, Make make,
             std::string_view refusal);
  void refuse_turn(const Responder& responder, std::string_view message);

  const Parts parts_;
  std::atomic<std::uint64_t> refused_turns_{0};
};

}  // namespace pixledger::http
