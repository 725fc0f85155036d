#pragma once

#include <memory>
#include <string>

#include "base/http/message/request.h"
#include "base/http/transport/server.h"
#include "base/platform/clock_and_entropy.h"
#include "base/trace/span_exporter.h"
#include "base/trace/trace_context.h"
#include "eventstore/executor/executor.h"
#include "stores/traces/kept_traces.h"

namespace pixledger::http {

struct RequestTrace {
  TraceContext context;   // of what the request causes
  std::string parent_id;  // of the request's own span; empty: it begins the trace
};

// For the request's commands; null if it is not traced.
std::shared_ptr<const TraceContext> trace_of(const Request& request);

// Reads the trace context of requests, keeps it with the position of their events, and makes the spans of
// requests, decisions and commits. Passes on what it observes. Thread-safe.
class RequestTraces final : public ServerObserver, public eventstore::TraceListener {
 public:
  // All outlive it. Without `spans` none are made, without `keeper` nothing is kept.
  RequestTraces(ServerObserver& next, Entropy& entropy, SpanExporter* spans, stores::TraceKeeper* keeper)
      : next_(next), entropy_(entropy), spans_(spans), keeper_(keeper) {}

  // Call it once the head of the request has been read.
  void begin(Request& request);

  void request_arrived() override { next_.request_arrived(); }
  void error_answered(const Request& request, const Reply& reply) override {
    next_.error_answered(request, reply);
  }
  void request_answered(const Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const Request& request, int status) override {
    next_.request_refused(request, status);
  }

  void on_traced(const eventstore::TracedBatch& batch) override;

 private:
  bool is_exported(const TraceContext& context) const { return spans_ && context.is_sampled; }
  void add_spans(const eventstore::TracedCommand& command, const eventstore::TracedBatch& batch);

  ServerObserver& next_;
  Entropy& entropy_;
  SpanExporter* const spans_;
  stores::TraceKeeper* const keeper_;
};

}  // namespace pixledger::http
