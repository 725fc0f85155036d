#include "stores/traces/kept_traces.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include "tests/support/fixed_clock.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::EventTraces;
using stores::TraceKeeper;

namespace {

struct Fixture {
  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "traces.sqlite";
  FixedClock clock{Timestamp(1'000'000'000'000)};
  SeededEntropy entropy{1};
  Logger logger{LogFormat::kText, clock, STDERR_FILENO};
  TraceContext context =
      parse_trace_context("00-12345678901234567890123456789012-1234567890123456-01", "vendor=state").value();
  TraceKeeper keeper{file, clock, logger};
  EventTraces traces{file, clock, entropy, nullptr, logger};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a trace is found at its event's position, and at no other") {
  CHECK_FALSE(traces.find(Position(7)));
  CHECK_FALSE(std::filesystem::exists(file));
  keeper.keep({{Position(7), clock.now(), &context}});
  const auto found = traces.find(Position(7));
  REQUIRE(found);
  CHECK(found->trace_id == context.trace_id);
  CHECK(found->parent_id == context.parent_id);
  CHECK(found->state == "vendor=state");
  CHECK(found->is_sampled);
  CHECK(found->is_callers);
  CHECK_FALSE(traces.find(Position(8)));
}

TEST_CASE_METHOD(Fixture, "a trace that is not a caller's is kept as such") {
  context.is_callers = false;
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(traces.find(Position(7)).value().is_callers);
}

TEST_CASE_METHOD(Fixture, "a trace is forgotten after seven days, and then removed") {
  keeper.keep({{Position(7), clock.now(), &context}, {Position(8), clock.now().plus_millis(1), &context}});
  clock.advance_millis(stores::kTracesKept.count());
  CHECK_FALSE(traces.find(Position(7)));
  CHECK(traces.find(Position(8)));
  CHECK_FALSE(keeper.remove_old());
  clock.advance_millis(-stores::kTracesKept.count());
  CHECK_FALSE(traces.find(Position(7)));
  CHECK(traces.find(Position(8)));
}

TEST_CASE_METHOD(Fixture, "an unusable file fails nothing") {
  std::filesystem::create_directory(file);
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(traces.find(Position(7)));
}

TEST_CASE_METHOD(Fixture,
                 "an attempt continues a caller's trace under an id of its own, and no other trace") {
  const auto attempt = traces.begin(context);
  CHECK(attempt.id != context.parent_id);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"traceparent", "00-" + context.trace_id + "-" + attempt.id + "-01"}, {"tracestate", "vendor=state"}};
  CHECK(attempt.headers() == expected);
  CHECK(traces.begin(context).id != attempt.id);
  context.is_callers = false;
  context.state.clear();
  CHECK(traces.begin(context).headers().empty());
}
