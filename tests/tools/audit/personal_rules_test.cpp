#include "tools/audit/personal_rules.h"

#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"

namespace pixledger::tests {
namespace {

// Counts the events read from streams of another log.
class CountingLedger final : public eventstore::LedgerLog {
 public:
  explicit CountingLedger(eventstore::LedgerLog& inner) : inner_(inner) {}

  std::size_t count() const { return count_; }

  eventstore::StreamBatch read_stream(const eventstore::StreamName& stream, std::uint32_t after_version,
                                      Position up_to) const override {
    auto batch = inner_.read_stream(stream, after_version, up_to);
    count_ += batch.events.size();
    return batch;
  }

  const eventstore::LogIdentity& identity() const override { return inner_.identity(); }
  std::unique_ptr<eventstore::LogWrite> begin_write() override { return inner_.begin_write(); }
  Head head() const override { return inner_.head(); }
  Head catch_up() const override { return inner_.catch_up(); }
  std::uint32_t version_of(const eventstore::StreamName& stream) const override {
    return inner_.version_of(stream);
  }
  std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
    return inner_.read_after(after, max);
  }
  std::optional<eventstore::StreamName> claim_holder(const eventstore::ClaimName& claim) const override {
    return inner_.claim_holder(claim);
  }
  std::vector<std::pair<eventstore::ClaimName, eventstore::StreamName>> claims_with_prefix(
      const std::string& prefix) const override {
    return inner_.claims_with_prefix(prefix);
  }
  std::optional<Digest> leaf_hash(Position position) const override { return inner_.leaf_hash(position); }
  std::optional<std::string> tree_record(Position position) const override {
    return inner_.tree_record(position);
  }
  eventstore::ClockAcceptance clock_acceptance() const override { return inner_.clock_acceptance(); }
  void accept_clock(const eventstore::ClockReading& clock) override { inner_.accept_clock(clock); }
  bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                    const WakeSignal::Condition& other) const override {
    return inner_.wait_past_or(position, timeout, other);
  }
  void wake() const override { inner_.wake(); }
  std::unique_ptr<eventstore::LogSnapshot> snapshot() const override { return inner_.snapshot(); }
  void remove_personal(const std::vector<Position>& positions) override { inner_.remove_personal(positions); }
  void scrub_buffers() override { inner_.scrub_buffers(); }
  void scrub(std::chrono::milliseconds patience) override { inner_.scrub(patience); }

 private:
  eventstore::LedgerLog& inner_;
  mutable std::size_t count_ = 0;
};

// A customer who changed their name with each charge, and was refused some.
struct World {
  LedgerInMemory ledger;
  domain::CreateCharge creation = sample_creation();
  domain::CustomerId customer = parsed<domain::CustomerId>("c0000000000000000000000zz");

  World() {
    creation.project = ledger.project();
    creation.customer_ip = parsed<IpAddress>("203.0.113.9");
    for (int i = 0; i < 60; ++i) {
      creation.customer.name = parsed<domain::PersonName>("Ana " + std::to_string(i));
      const auto created = ledger.execute(creation);
      const auto& event = std::get<domain::ChargeEvent>(created.events().back().event);
      customer = std::get<domain::ChargeCreated>(event).customer;
    }
    ledger.execute(
        domain::AddBlocklistEntry{creation.project, *creation.customer_ip, {}, creation.environment});
    for (int i = 0; i < 60; ++i) ledger.executor.execute({creation, "test", {}, "", {}});
  }

  void erase() { ledger.execute(domain::EraseCustomer{stream(), customer, {}}); }
  domain::StreamName stream() const {
    return ledger.log.claim_holder(domain::customer_claim(customer)).value();
  }

  // The rules' findings if all personal data are missing except the blocklist's, which no erasure removes.
  std::vector<Position> unexplained(const eventstore::LedgerLog& log) const {
    tools::PersonalRules rules(log, {});
    std::vector<Position> found;
    for (const auto& stored : log.read_after(Position(), 1000)) {
      const auto event = eventstore::decode(stored);
      if (event.version == 1) rules.begin_stream();
      const bool is_there = event.stream.kind() == domain::StreamKind::kBlocklist;
      if (const auto finding = rules.check(event, {stored.personal_digest, is_there}))
        found.push_back(finding->position);
    }
    return found;
  }
};

}  // namespace

TEST_CASE("events that explain erased personal data are read once, for any amount of data") {
  World world;
  world.erase();
  const auto events = world.ledger.log.head().position.value();
  REQUIRE(world.ledger.log.version_of(world.stream()) > 50);
  const CountingLedger counting(world.ledger.log);
  CHECK(world.unexplained(counting).empty());
  CHECK(counting.count() < 2 * events);
}

TEST_CASE("events that do not explain missing personal data are read once as well, and later ones again") {
  World world;
  const auto events = world.ledger.log.head().position.value();
  const CountingLedger counting(world.ledger.log);
  CHECK(world.unexplained(counting).size() > 100);
  CHECK(counting.count() < 2 * events);
  tools::CustomerErasures erasures(counting);
  CHECK_FALSE(erasures.of(world.customer));
  CHECK_FALSE(erasures.is_any_after(world.stream(), Position()));
  world.erase();
  const auto erased = world.ledger.log.head().position;
  CHECK(erasures.of(world.customer) == erased);
  CHECK(erasures.is_any_after(world.stream(), Position(erased.value() - 1)));
  CHECK_FALSE(erasures.is_any_after(world.stream(), erased));
}

}  // namespace pixledger::tests
