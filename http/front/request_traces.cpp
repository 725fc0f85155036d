#include "http/front/request_traces.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/net/http_status.h"
#include "http/front/caller.h"

namespace pixledger::http {
namespace {

using eventstore::TracedBatch;
using eventstore::TracedCommand;

// Empty for a repeat: the events were another request's.
std::span<const domain::RecordedEvent> events_of(const TracedCommand& command) {
  const auto* const completed = std::get_if<eventstore::Completed>(&command.result);
  if (!completed || completed->replayed) return {};
  return completed->events();
}

std::string outcome_of(const eventstore::Result& result) {
  const auto* const completed = std::get_if<eventstore::Completed>(&result);
  if (!completed) return eventstore::fault_of(result).empty() ? "key_in_use" : "failed";
  if (completed->replayed) return "replayed";
  return completed->outcome.rejection ? "rejected" : "done";
}

}  // namespace

std::shared_ptr<const TraceContext> trace_of(const Request& request) {
  if (!request.trace) return nullptr;
  return {request.trace, &request.trace->context};
}

void RequestTraces::begin(Request& request) {
  const auto traceparent = request.headers.find("traceparent");
  std::optional<TraceContext> context;
  if (traceparent && request.headers.count("traceparent") == 1)
    context = parse_trace_context(*traceparent, request.headers.joined("tracestate"));
  if (!context && spans_ && spans_->takes_sample())
    context = TraceContext{
        .trace_id = new_trace_id(entropy_), .parent_id = "", .is_sampled = true, .is_callers = false};
  if (!context) return;
  auto trace = std::make_shared<RequestTrace>(RequestTrace{*context, context->parent_id});
  if (is_exported(*context)) trace->context.parent_id = new_span_id(entropy_);
  request.trace = std::move(trace);
}

void RequestTraces::request_answered(const Request& request, int status, std::chrono::nanoseconds took) {
  next_.request_answered(request, status, took);
  if (!request.trace || !is_exported(request.trace->context)) return;
  const auto now = Span::Time::clock::now();
  const std::string method(method_name(request.method));
  const std::string route(request.route_pattern);
  Span span{.trace_id = request.trace->context.trace_id,
            .id = request.trace->context.parent_id,
            .parent_id = request.trace->parent_id,
            .name = route.empty() ? method : method + ' ' + route,
            .kind = SpanKind::kServer,
            .began = now - took,
            .ended = now,
            .attributes = {{"http.request.method", method}, {"http.response.status_code", status}},
            .has_failed = status >= kFirstServerError};
  if (!route.empty()) span.attributes.push_back({"http.route", route});
  if (span.has_failed) span.attributes.push_back({"error.type", std::to_string(status)});
  if (request.caller) {
    span.attributes.push_back({"pixledger.environment", std::string(to_string(request.caller->environment))});
    if (request.caller->project != of_no_project())
      span.attributes.push_back({"pixledger.project", request.caller->project.text()});
  }
  spans_->add(std::move(span));
}

void RequestTraces::on_traced(const TracedBatch& batch) try {
  std::vector<stores::EventTrace> kept;
  for (const auto& command : batch.commands) {
    for (const auto& event : events_of(command))
      kept.push_back({event.position, event.recorded_at, &command.trace});
    if (is_exported(command.trace)) add_spans(command, batch);
  }
  if (keeper_ && !kept.empty()) keeper_->keep(kept);
} catch (const std::exception&) {
  // The commands are recorded: without their spans, rather than answered as if they were not.
}

void RequestTraces::add_spans(const TracedCommand& command, const TracedBatch& batch) {
  const auto outcome = outcome_of(command.result);
  Span decide{.trace_id = command.trace.trace_id,
              .id = new_span_id(entropy_),
              .parent_id = command.trace.parent_id,
              .name = "decide",
              .kind = SpanKind::kInternal,
              .began = command.decide_began,
              .ended = command.decided,
              .attributes = {{"pixledger.outcome", outcome}},
              .has_failed = !eventstore::fault_of(command.result).empty()};
  if (decide.has_failed) decide.attributes.push_back({"error.type", outcome});
  const auto events = events_of(command);
  if (events.empty()) return spans_->add(std::move(decide));
  const auto& first = events.front();
  decide.attributes.push_back({"pixledger.project", first.project.text()});
  const auto of_charge = std::find_if(events.begin(), events.end(), [](const auto& event) {
    return event.stream.kind() == domain::StreamKind::kCharge;
  });
  const auto& shown = of_charge == events.end() ? first : *of_charge;
  if (of_charge != events.end())
    decide.attributes.push_back({"pixledger.transaction", std::string(shown.stream.key())});
  auto commit = decide;
  commit.id = new_span_id(entropy_);
  commit.name = "commit";
  commit.began = batch.commit_began;
  commit.ended = batch.committed;
  commit.attributes.push_back({"pixledger.position", static_cast<std::int64_t>(shown.position.value())});
  spans_->add(std::move(decide));
  spans_->add(std::move(commit));
}

}  // namespace pixledger::http
