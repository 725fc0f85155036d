#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "domain/decisions/state_weight.h"
#include "eventstore/executor/state_cache.h"
#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/support/ledgers/forwarding_log.h"

// A merchant's long streams neither delay other merchants nor fill the memory.
using namespace pixledger;
using namespace pixledger::tests;
using eventstore::LoadSet;
using eventstore::LogWrite;
using eventstore::StreamBatch;

namespace {

// Events that each write has loaded, in the order of the writes.
struct Loads {
  std::vector<std::size_t> events;
  bool is_open = false;
};

class WatchedWrite final : public LogWrite {
 public:
  WatchedWrite(std::unique_ptr<LogWrite> inner, Loads& loads) : inner_(std::move(inner)), loads_(loads) {
    loads_.events.push_back(0);
    loads_.is_open = true;
  }
  ~WatchedWrite() override { loads_.is_open = false; }

  Head head() const override { return inner_->head(); }
  std::uint32_t id_counter() const override { return inner_->id_counter(); }
  std::uint32_t version_of(const domain::StreamName& stream) const override {
    return inner_->version_of(stream);
  }
  eventstore::Loaded load(const LoadSet& set) const override {
    auto loaded = inner_->load(set);
    for (const auto& batch : loaded.streams) loads_.events.back() += batch.events.size();
    return loaded;
  }
  std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
    return inner_->read_after(after, max);
  }
  void append(const eventstore::Batch& batch) override { inner_->append(batch); }
  void commit() override { inner_->commit(); }

 private:
  const std::unique_ptr<LogWrite> inner_;
  Loads& loads_;
};

// Counts events read inside writes and outside of them.
class WatchedLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::unique_ptr<LogWrite> begin_write() override {
    return std::make_unique<WatchedWrite>(inner_.begin_write(), loads);
  }
  StreamBatch read_stream(const domain::StreamName& stream, std::uint32_t after_version,
                          Position up_to) const override {
    auto batch = inner_.read_stream(stream, after_version, up_to);
    read_in_writes = read_in_writes || loads.is_open;
    read_outside += batch.events.size();
    return batch;
  }

  Loads loads;
  mutable bool read_in_writes = false;
  mutable std::size_t read_outside = 0;
};

// A log that grows faster than it is read ahead.
class OutgrowingLog final : public WatchedLog {
 public:
  using WatchedLog::WatchedLog;

  StreamBatch read_stream(const domain::StreamName&, std::uint32_t, Position) const override { return {}; }
};

domain::Metadata large_metadata(int change) {
  const std::string filling(490, 'x');
  std::vector<domain::MetadataEntry> entries;
  for (int i = 0; i < 20; ++i)
    entries.push_back({*domain::MetadataKey::parse("key" + std::to_string(i)),
                       *domain::MetadataValue::parse(filling + std::to_string(change))});
  return *domain::Metadata::of(std::move(entries));
}

domain::SaveCustomer save(const ExecutorFixture& fixture, int change) {
  const auto creation = fixture.creation();
  return {.project = fixture.project,
          .token = creation.token,
          .details = creation.customer,
          .environment = domain::Environment::kSandbox,
          .metadata = large_metadata(change)};
}

// More events of one customer, of ten thousand bytes each, than a load takes into memory.
constexpr int kSaves = 900;

void save_often(ExecutorFixture& fixture) {
  for (int i = 1; i <= kSaves; ++i) fixture.done(save(fixture, i));
}

// Saves the customer once more with a newly started executor.
eventstore::Completed save_once_more(ExecutorFixture& fixture, WatchedLog& log) {
  eventstore::Executor executor(log, fixture.clock, fixture.entropy);
  auto result =
      executor.execute({save(fixture, kSaves + 1), "operator-test", std::nullopt, "", std::nullopt});
  return std::get<Completed>(std::move(result));
}

}  // namespace

TEST_CASE("the rest of a stream beyond one load is read while others may write") {
  ExecutorFixture fixture;
  save_often(fixture);
  WatchedLog log(fixture.log);
  const auto completed = save_once_more(fixture, log);
  REQUIRE(completed.outcome.done());
  CHECK(completed.events().front().version == kSaves + 1);
  REQUIRE(log.loads.events.size() == 2);
  CHECK(log.loads.events[0] < kSaves);  // the allowance, and no more
  CHECK(log.loads.events[1] == 0);
  CHECK_FALSE(log.read_in_writes);
  CHECK(log.read_outside > 0);
  // Each event of the customer and of the project once.
  CHECK(log.loads.events[0] + log.read_outside == kSaves + 1);
}

TEST_CASE("a command on a stream that grows faster than it is read ahead is still decided") {
  ExecutorFixture fixture;
  save_often(fixture);
  OutgrowingLog log(fixture.log);
  const auto completed = save_once_more(fixture, log);
  REQUIRE(completed.outcome.done());
  CHECK(completed.events().front().version == kSaves + 1);
}

TEST_CASE(
    "the state of a long stream stays cached longer than others, unless such states exceed half of all") {
  ExecutorFixture fixture;
  const auto rename = [&](int change) {
    domain::StoreSettingsChange settings;
    settings.name = label("Loja " + std::to_string(change));
    fixture.done(domain::ChangeStoreSettings{fixture.project, settings});
  };
  for (std::uint32_t i = 1; i < eventstore::StateCache::kLongStreamEvents; ++i) rename(static_cast<int>(i));
  std::vector<domain::StreamName> charges;
  for (int i = 0; i < 8; ++i)
    charges.push_back(domain::charge_stream(fixture.charge_of(fixture.done(fixture.creation()))));
  const auto project = domain::project_stream(fixture.project);

  WatchedLog log(fixture.log);
  const auto events_loaded = [&](eventstore::StateCache& states, const domain::StreamName& stream) {
    const auto write = log.begin_write();
    REQUIRE(states.load(*write, {{stream}, {}}));
    REQUIRE(states.find(stream) != nullptr);
    states.committed(write->head().position);
    return log.loads.events.back();
  };
  const auto reloaded_after_others = [&](std::size_t states_max) {
    eventstore::StateCache states(states_max);
    events_loaded(states, project);
    for (const auto& charge : charges) events_loaded(states, charge);
    return events_loaded(states, project);
  };
  CHECK(reloaded_after_others(4) == 0);
  CHECK(reloaded_after_others(1) == eventstore::StateCache::kLongStreamEvents);
}
