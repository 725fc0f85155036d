#include "eventstore/reading/state_history.h"

#include <catch2/catch.hpp>

#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/counting_log.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using eventstore::StateHistory;

namespace {

// The store's name after each change.
std::string name_of(int change) { return "Loja " + std::to_string(change); }

void change_store(LedgerInMemory& ledger, int changes) {
  for (int i = 1; i <= changes; ++i) {
    domain::StoreSettingsChange change;
    change.name = parsed<domain::Label>(name_of(i));
    ledger.execute(domain::ChangeStoreSettings{ledger.project(), change});
  }
}

std::string name_at(StateHistory& history, const LedgerInMemory& ledger, std::uint64_t position) {
  const auto project =
      history.as<domain::Project>(domain::project_stream(ledger.project()), Position(position));
  return project ? project->settings.name.text() : "none";
}

}  // namespace

TEST_CASE("states equal those of a fold, at every position and in any order") {
  LedgerInMemory ledger;
  const auto first = ledger.log.head().position.value();
  constexpr int kChanges = 500;
  change_store(ledger, kChanges);
  StateHistory history(ledger.log);
  for (int step : {1, 7, 101, 399}) {
    for (int i = 0; i <= kChanges; ++i) {
      const auto position = first + static_cast<std::uint64_t>(i * step % (kChanges + 1));
      const auto folded = eventstore::fold_as<domain::Project>(
          ledger.log, domain::project_stream(ledger.project()), Position(position));
      REQUIRE(name_at(history, ledger, position) == folded->settings.name.text());
    }
  }
  CHECK(history.at(domain::project_stream(ledger.project()), Position()) == nullptr);
  CHECK(history.at(domain::project_stream(other_project_id()), ledger.log.head().position) == nullptr);
}

TEST_CASE("a stream is folded once, and a state at any position reads only a part of it") {
  LedgerInMemory ledger;
  constexpr int kChanges = 2'000;
  const auto first = ledger.log.head().position.value();
  change_store(ledger, kChanges);
  const CountingLog counting(ledger.log);
  StateHistory history(counting);
  for (std::uint64_t i = 1; i <= kChanges; ++i) name_at(history, ledger, first + i);
  CHECK(counting.take_count() <= kChanges + 1);
  for (std::uint64_t i = kChanges; i > 0; --i) {
    counting.take_count();
    REQUIRE(name_at(history, ledger, first + i) == name_of(static_cast<int>(i)));
    REQUIRE(counting.take_count() <= StateHistory::kStride);
  }
}

TEST_CASE("fewer states are kept of a very long stream") {
  LedgerInMemory ledger;
  constexpr std::uint64_t kChanges = 3 * StateHistory::kStride * StateHistory::kStatesOfStreamMax;
  const auto first = ledger.log.head().position.value();
  change_store(ledger, kChanges);
  const CountingLog counting(ledger.log);
  StateHistory history(counting);
  name_at(history, ledger, first + kChanges);
  for (std::uint64_t i = kChanges; i > 0; i -= 97 < i ? 97 : i) {
    counting.take_count();
    REQUIRE(name_at(history, ledger, first + i) == name_of(static_cast<int>(i)));
    REQUIRE(counting.take_count() <= 4 * StateHistory::kStride);
  }
}

TEST_CASE("streams that were not read for long are evicted") {
  LedgerInMemory ledger;
  change_store(ledger, 5);
  const auto charge = ledger.create_charge();
  const auto head = ledger.log.head().position;
  const CountingLog counting(ledger.log);
  StateHistory history(counting, 1);
  const auto stream = domain::project_stream(ledger.project());
  const auto reads = [&] {
    counting.take_count();
    history.at(stream, head);
    return counting.take_count();
  };
  CHECK(reads() == 6);
  CHECK(reads() == 0);
  history.at(domain::charge_stream(charge), head);
  CHECK(reads() == 6);
}

namespace {

// Streams of `customers` customers, each changed `changes` times, with the largest metadata.
std::vector<domain::StreamName> large_customers(LedgerInMemory& ledger, int customers, int changes) {
  std::vector<domain::StreamName> streams;
  for (int customer = 1; customer <= customers; ++customer) {
    const auto token = sample_token(static_cast<unsigned>(customer));
    for (int change = 1; change <= changes; ++change) {
      std::vector<domain::MetadataEntry> entries;
      for (int i = 0; i < 20; ++i)
        entries.push_back({parsed<domain::MetadataKey>("key" + std::to_string(i)),
                           parsed<domain::MetadataValue>(std::string(490, 'x') + std::to_string(change))});
      ledger.execute(domain::SaveCustomer{.project = ledger.project(),
                                          .token = token,
                                          .details = sample_details(),
                                          .environment = domain::Environment::kSandbox,
                                          .metadata = domain::Metadata::of(std::move(entries))});
    }
    streams.push_back(domain::customer_stream(ledger.project(), domain::Environment::kSandbox, token));
  }
  return streams;
}

}  // namespace

TEST_CASE("large states are kept for fewer streams, and with fewer intermediate states") {
  LedgerInMemory ledger;
  constexpr std::size_t kWeightMax = 200;  // a state of those weighs over ten
  const auto streams = large_customers(ledger, 12, StateHistory::kStride);
  const auto head = ledger.log.head();
  StateHistory history(ledger.log, kWeightMax);
  eventstore::StateReader reader(ledger.log, kWeightMax);
  for (const auto& stream : streams) {
    CHECK(history.as<domain::Customer>(stream, head.position)->details->metadata.entries().size() == 20);
    CHECK(std::get<domain::Customer>(*reader.find(stream, head)).details->metadata.entries().size() == 20);
    REQUIRE(history.weight() <= kWeightMax);
    REQUIRE(reader.weight() <= kWeightMax);
  }
  CHECK(history.weight() > kWeightMax / 2);
  CHECK(reader.weight() > kWeightMax / 2);
}

TEST_CASE("the states of one long stream do not evict all others") {
  LedgerInMemory ledger;
  constexpr std::size_t kWeightMax = 400;
  constexpr int kChanges = 8 * StateHistory::kStride;
  const auto stream = large_customers(ledger, 1, kChanges).front();
  const auto head = ledger.log.head().position;
  const CountingLog counting(ledger.log);
  StateHistory history(counting, kWeightMax);
  history.at(stream, head);
  // An eighth for intermediate states, and the newest.
  CHECK(history.weight() <= kWeightMax / 8 + 20);
  counting.take_count();
  // Older states are folded from the nearest kept one.
  CHECK(history.as<domain::Customer>(stream, Position(head.value() - 1)));
  CHECK(counting.take_count() < kChanges / 2);
}
