#include "stores/traces/kept_traces.h"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "stores/sql/sqlite_database.h"
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

  std::optional<TraceContext> find(std::uint64_t position) const {
    return traces.find(Position(position), clock.now());
  }
};

// Runs it on a thread that the files' permissions bind, even if root runs the tests.
template <class Action>
void run_unprivileged(const Action& action) {
  std::thread([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, 2> none{};
    CHECK(::syscall(SYS_capset, &header, none.data()) == 0);
    action();
  }).join();
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a trace is found at its event's position, and at no other") {
  CHECK_FALSE(find(7));
  CHECK_FALSE(std::filesystem::exists(file));
  keeper.keep({{Position(7), clock.now(), &context}});
  const auto found = find(7);
  REQUIRE(found);
  CHECK(found->trace_id == context.trace_id);
  CHECK(found->parent_id == context.parent_id);
  CHECK(found->state == "vendor=state");
  CHECK(found->is_sampled);
  CHECK(found->is_callers);
  CHECK_FALSE(find(8));
}

TEST_CASE_METHOD(Fixture, "a trace that is not a caller's is kept as such") {
  context.is_callers = false;
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(find(7).value().is_callers);
}

TEST_CASE_METHOD(Fixture, "a trace is not that of an event of another time at the same position") {
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(traces.find(Position(7), clock.now().plus_millis(1)));
}

TEST_CASE_METHOD(Fixture, "a trace is forgotten after seven days, and then removed") {
  const auto first = clock.now();
  const auto second = first.plus_millis(1);
  keeper.keep({{Position(7), first, &context}, {Position(8), second, &context}});
  clock.advance_millis(stores::kTracesKept.count());
  CHECK_FALSE(traces.find(Position(7), first));
  CHECK(traces.find(Position(8), second));
  CHECK_FALSE(keeper.remove_old());
  clock.advance_millis(-stores::kTracesKept.count());
  CHECK_FALSE(traces.find(Position(7), first));
  CHECK(traces.find(Position(8), second));
}

TEST_CASE_METHOD(Fixture, "a reader that may not write beside the file finds what is kept later") {
  using std::filesystem::perms;
  TraceKeeper(file, clock, logger).keep({{Position(7), clock.now(), &context}});
  const auto find_unprivileged = [this](std::uint64_t position) {
    std::optional<TraceContext> found;
    std::filesystem::permissions(directory.path(), perms::owner_read | perms::owner_exec);
    run_unprivileged([&] { found = find(position); });
    std::filesystem::permissions(directory.path(), perms::owner_all);
    return found;
  };
  find_unprivileged(7);
  keeper.keep({{Position(8), clock.now(), &context}});
  CHECK(find_unprivileged(7));
  CHECK(find_unprivileged(8));
}

TEST_CASE_METHOD(Fixture, "an unusable file fails nothing") {
  std::filesystem::create_directory(file);
  keeper.keep({{Position(7), clock.now(), &context}});
  CHECK_FALSE(find(7));
}

TEST_CASE_METHOD(Fixture, "another writer of the file costs traces, and hardly any time") {
  keeper.keep({{Position(7), clock.now(), &context}});
  const auto other = stores::open_sqlite(file, "rw");
  {
    const stores::SqlTransaction held(*other);
    const auto began = std::chrono::steady_clock::now();
    keeper.keep({{Position(8), clock.now(), &context}});
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
  }
  keeper.keep({{Position(9), clock.now(), &context}});
  CHECK_FALSE(find(8));
  CHECK(find(9));
}

TEST_CASE_METHOD(Fixture, "a long log of the file is emptied, even if writes never pause") {
  context.state = "vendor=" + std::string(240, 's') + ",other=" + std::string(240, 's');
  std::vector<stores::EventTrace> many;
  for (std::uint64_t position = 1; position <= 20'000; ++position)
    many.push_back({Position(position), clock.now(), &context});
  keeper.keep(many);
  const auto log = file.string() + "-wal";
  CHECK(std::filesystem::file_size(log) > 8 * 1024 * 1024);
  CHECK_FALSE(keeper.remove_old());
  CHECK(std::filesystem::file_size(log) == 0);
  CHECK(find(20'000));
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
