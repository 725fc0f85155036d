#include "stores/traces/kept_traces.h"

#include <catch2/catch.hpp>

#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::TraceKeeper;
using stores::TraceReader;

namespace {

struct Fixture {
  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "traces.sqlite";
  FixedClock clock{Timestamp(1'000'000'000'000)};
  std::vector<std::string> faults{};
  TraceContext context =
      parse_trace_context("00-12345678901234567890123456789012-1234567890123456-01", "vendor=state").value();
  TraceKeeper keeper{file, clock, [this](const std::string& fault) { faults.push_back(fault); }};
  TraceReader reader{file, clock, [this](const std::string& fault) { faults.push_back(fault); }};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a trace is found at its event's position, and at no other") {
  CHECK_FALSE(reader.find(Position(7)));
  CHECK_FALSE(std::filesystem::exists(file));
  keeper.keep({{Position(7), clock.now(), &context}});
  const auto found = reader.find(Position(7));
  REQUIRE(found);
  CHECK(found->trace_id == context.trace_id);
  CHECK(found->parent_id == context.parent_id);
  CHECK(found->state == "vendor=state");
  CHECK(found->is_sampled);
  CHECK(found->is_callers);
  CHECK_FALSE(reader.find(Position(8)));
  CHECK(faults.empty());
}

TEST_CASE_METHOD(Fixture, "a trace that is not a caller's is kept as such") {
  context.is_callers = false;
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(reader.find(Position(7)).value().is_callers);
}

TEST_CASE_METHOD(Fixture, "a trace is forgotten after seven days, and then removed") {
  keeper.keep({{Position(7), clock.now(), &context}, {Position(8), clock.now().plus_millis(1), &context}});
  clock.advance_millis(stores::kTracesKept.count());
  CHECK_FALSE(reader.find(Position(7)));
  CHECK(reader.find(Position(8)));
  CHECK_FALSE(keeper.remove_old());
  clock.advance_millis(-stores::kTracesKept.count());
  CHECK_FALSE(reader.find(Position(7)));
  CHECK(reader.find(Position(8)));
  CHECK(faults.empty());
}

TEST_CASE_METHOD(Fixture, "an unusable file is reported, and fails nothing") {
  std::filesystem::create_directory(file);
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(reader.find(Position(7)));
  CHECK(faults.size() == 2);
}
