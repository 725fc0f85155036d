#include "workers/expiry/expiry_worker.h"

#include <catch2/catch.hpp>
#include <memory>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::tests;
using workers::ExpiryWorker;

namespace {

// A ledger whose clock the test moves: the sample charges expire after thirty minutes.
struct Fixture {
  Fixture() : due_charges(open()) {}

  std::unique_ptr<projections::DueCharges> open() {
    eventstore::LmdbOptions options;
    options.map_bytes = std::size_t{64} << 20;
    return std::make_unique<projections::DueCharges>(ledger.directory.path() / "expiry", ledger.log, options);
  }
  void start() { start(ledger.log); }
  void start(const eventstore::Log& log) {
    worker = std::make_unique<ExpiryWorker>(
        workers::ExpiryWorkerParts{log, clock, executor, ledger.logger, *due_charges});
  }
  void stop() {
    worker->stop();
    worker->check();
    worker.reset();
  }
  ChargeStatus status_of(const ChargeId& charge) {
    return eventstore::fold_as<Charge>(ledger.log, charge_stream(charge))->status;
  }
  bool reaches(const ChargeId& charge, ChargeStatus wanted) {
    return eventually([&] { return status_of(charge) == wanted; });
  }
  void advance(std::int64_t millis) { clock.advance_millis(millis); }

  LedgerInMemory ledger;
  FixedClock clock{ledger.clock.now().plus_millis(1), ledger.clock.boot_millis()};
  eventstore::Executor executor{ledger.log, clock, ledger.entropy};
  std::unique_ptr<projections::DueCharges> due_charges;
  std::unique_ptr<ExpiryWorker> worker;
};

}  // namespace

TEST_CASE("a checkout session ends when its time is over, with its unpaid charge") {
  Fixture fixture;
  fixture.start();
  auto command = sample_checkout();
  command.project = fixture.ledger.project();
  command.expires_in_minutes = kCheckoutMinutesMin;
  const auto creation = sample_creation();
  command.payer = CheckoutPayer{creation.token, creation.customer};
  fixture.ledger.execute(command);
  const auto session = [&] {
    return *eventstore::fold_as<CheckoutSession>(fixture.ledger.log, checkout_stream(command.id));
  };
  const auto charge = session().charges.front().id;
  fixture.advance(6 * kMinuteMs);
  REQUIRE(fixture.reaches(charge, ChargeStatus::kExpired));
  REQUIRE(eventually([&] { return session().status == CheckoutStatus::kExpired; }));
  fixture.stop();
}

TEST_CASE("a session that was paid by one charge has no other that could be paid") {
  Fixture fixture;
  auto command = sample_checkout();
  command.project = fixture.ledger.project();
  const auto creation = sample_creation();
  command.payer = CheckoutPayer{creation.token, creation.customer};
  fixture.ledger.execute(command);
  const auto session = [&] {
    return *eventstore::fold_as<CheckoutSession>(fixture.ledger.log, checkout_stream(command.id));
  };
  const auto first = session().charges.front().id;
  fixture.ledger.execute(ExpireSandboxCharge{{}, first});
  auto again = sample_checkout_charge();
  again.project = command.project;
  again.newest = first;
  fixture.ledger.execute(again);
  const auto second = session().charges.back().id;
  REQUIRE(fixture.status_of(second) == ChargeStatus::kWaitingPayment);
  // Money for the first, which came after all, and which an operator lets count.
  const auto amount = eventstore::fold_as<Charge>(fixture.ledger.log, charge_stream(first))->amount;
  fixture.ledger.execute(
      ReportPayment{command.project, first, sample_end_to_end_id(), amount, fixture.ledger.clock.now()});
  fixture.ledger.execute(AcceptUnappliedPayment{command.project, first, sample_end_to_end_id()});
  REQUIRE(session().paid == first);
  fixture.start();
  REQUIRE(fixture.reaches(second, ChargeStatus::kCancelled));
  fixture.stop();
}

TEST_CASE("an unpaid charge expires when its time is over") {
  Fixture fixture;
  fixture.start();
  const auto charge = fixture.ledger.create_charge();
  fixture.advance(31 * kMinuteMs);
  REQUIRE(fixture.reaches(charge, ChargeStatus::kExpired));
  fixture.stop();
  const auto events = fixture.ledger.log.read_stream(charge_stream(charge), 1, eventstore::kNoLimit).events;
  REQUIRE(events.size() == 1);
  const auto event = eventstore::decode(events.front());
  REQUIRE(std::holds_alternative<ChargeExpired>(std::get<ChargeEvent>(event.event)));
  REQUIRE(event.actor == "worker-expiry");
}

TEST_CASE("charges expire also while the worker has never read all there is") {
  // Hands out its last event again and again.
  class NeverRead final : public ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
      auto events = inner_.read_after(after, max);
      if (events.empty()) events = inner_.read_after(Position(inner_.head().position.value() - 1), 1);
      return events;
    }
  };
  Fixture fixture;
  NeverRead log(fixture.ledger.log);
  const auto charge = fixture.ledger.create_charge();
  fixture.start(log);
  fixture.advance(31 * kMinuteMs);
  REQUIRE(fixture.reaches(charge, ChargeStatus::kExpired));
  fixture.stop();
}

TEST_CASE("a charge that was paid in time stays paid") {
  Fixture fixture;
  const auto paid = fixture.ledger.create_charge();
  const auto unpaid = fixture.ledger.create_charge();
  fixture.ledger.pay(paid);
  fixture.start();
  fixture.advance(31 * kMinuteMs);
  REQUIRE(fixture.reaches(unpaid, ChargeStatus::kExpired));
  fixture.stop();
  REQUIRE(fixture.status_of(paid) == ChargeStatus::kPaid);
}

TEST_CASE("charges that became due while no worker ran expire when one starts") {
  Fixture fixture;
  std::vector<ChargeId> charges;
  constexpr std::size_t kCharges = ExpiryWorker::kCommandsInFlightMax + 50;
  for (std::size_t i = 0; i < kCharges; ++i) charges.push_back(fixture.ledger.create_charge());
  fixture.start();
  fixture.stop();
  fixture.advance(31 * kMinuteMs);
  fixture.due_charges.reset();
  fixture.due_charges = fixture.open();
  fixture.start();
  for (const auto& charge : charges) REQUIRE(fixture.reaches(charge, ChargeStatus::kExpired));
  fixture.stop();
}

TEST_CASE("an expiry is recorded once, by the worker") {
  Fixture fixture;
  const auto charge = fixture.ledger.create_charge();
  fixture.start();
  fixture.advance(31 * kMinuteMs);
  REQUIRE(fixture.reaches(charge, ChargeStatus::kExpired));
  REQUIRE(eventually([&] { return !fixture.due_charges->next_expiry(); }));
  fixture.stop();
  REQUIRE(fixture.ledger.log.version_of(charge_stream(charge)) == 2);
}
