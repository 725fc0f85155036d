#include "http/front/request_traces.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include "tests/support/fixed_clock.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

const std::string kTraceId = "12345678901234567890123456789012";
const std::string kCaller = "1234567890123456";

struct Nothing final : http::ServerObserver {
  void request_arrived() override {}
  void request_answered(const http::Request&, int, std::chrono::nanoseconds) override {}
  void request_refused(const http::Request&, int) override {}
};

struct Fixture {
  FixedClock clock{Timestamp(1'790'000'000'000)};
  SeededEntropy entropy{1};
  Logger logger{LogFormat::kText, clock, STDERR_FILENO};
  Nothing next;
  http::RequestTraces traces{next, entropy, nullptr, nullptr};

  // Sends nothing within a test.
  std::unique_ptr<SpanExporter> exporter(double sample) {
    return std::make_unique<SpanExporter>(
        OtlpOptions{.endpoint = "http://127.0.0.1:1", .sample = sample, .headers_file = ""}, "pixledger-test",
        clock, entropy, logger);
  }
};

http::Request request_with(std::vector<std::pair<std::string, std::string>> headers) {
  http::Request request;
  for (const auto& [name, value] : headers) request.headers.add(name, value);
  return request;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "without an exporter the caller's context is passed on as it is") {
  auto request = request_with({{"Traceparent", "00-" + kTraceId + "-" + kCaller + "-01"},
                               {"tracestate", "a=1"},
                               {"tracestate", "b=2"}});
  traces.begin(request);
  const auto context = http::trace_of(request);
  REQUIRE(context);
  CHECK(context->trace_id == kTraceId);
  CHECK(context->parent_id == kCaller);
  CHECK(context->state == "a=1,b=2");
  CHECK(context->is_callers);
}

TEST_CASE_METHOD(Fixture, "an invalid context, two of them and none are no trace") {
  const auto valid = "00-" + kTraceId + "-" + kCaller + "-01";
  for (auto request : {request_with({}), request_with({{"traceparent", "00-" + kTraceId}}),
                       request_with({{"tracestate", "a=1"}}),
                       request_with({{"traceparent", valid}, {"traceparent", valid}})}) {
    traces.begin(request);
    CHECK_FALSE(http::trace_of(request));
  }
}

TEST_CASE_METHOD(Fixture, "with an exporter a sampled request causes what follows by a span of its own") {
  const auto spans = exporter(0);
  http::RequestTraces exporting{next, entropy, spans.get(), nullptr};
  auto sampled = request_with({{"traceparent", "00-" + kTraceId + "-" + kCaller + "-01"}});
  exporting.begin(sampled);
  CHECK(http::trace_of(sampled)->parent_id != kCaller);
  CHECK(sampled.trace->parent_id == kCaller);
  auto unsampled = request_with({{"traceparent", "00-" + kTraceId + "-" + kCaller + "-00"}});
  exporting.begin(unsampled);
  CHECK(http::trace_of(unsampled)->parent_id == kCaller);
  auto untraced = request_with({});
  exporting.begin(untraced);
  CHECK_FALSE(http::trace_of(untraced));
}

TEST_CASE_METHOD(Fixture, "a request of the sample begins a trace, which is not a caller's") {
  const auto spans = exporter(1);
  http::RequestTraces exporting{next, entropy, spans.get(), nullptr};
  auto request = request_with({});
  exporting.begin(request);
  const auto context = http::trace_of(request);
  REQUIRE(context);
  CHECK(context->is_sampled);
  CHECK_FALSE(context->is_callers);
  CHECK(request.trace->parent_id.empty());
  auto unsampled = request_with({{"traceparent", "00-" + kTraceId + "-" + kCaller + "-00"}});
  exporting.begin(unsampled);
  CHECK_FALSE(http::trace_of(unsampled)->is_sampled);
}
