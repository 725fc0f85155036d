#include "stores/status/worker_state.h"

#include <catch2/catch.hpp>

#include "base/platform/faults.h"
#include "base/platform/owner_lock.h"
#include "projections/due_charges.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/emails/email_repository.h"
#include "stores/sql/sqlite_database.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

eventstore::LmdbOptions small_map() {
  eventstore::LmdbOptions options;
  options.map_bytes = std::size_t{64} << 20;
  return options;
}

eventstore::LogCursor cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, Position(position), {}};
}

struct Workers {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "workers";

  std::filesystem::path of(const char* name) const {
    std::filesystem::create_directories(path / name);
    return path / name;
  }
};

NewDelivery delivery(std::uint64_t position, const std::string& charge) {
  const auto at = kStart.plus_millis(static_cast<std::int64_t>(position) * 1000);
  return {parsed<DeliveryId>("cdelivery" + std::to_string(100 + position)),
          sample_channel_id(),
          sample_project_id(),
          parsed<ChargeId>("ccharge0000" + charge),
          Environment::kSandbox,
          WebhookEvent::kTransactionPaid,
          WebhookVersion::kV2,
          Position(position),
          1,
          at,
          at};
}

}  // namespace

TEST_CASE("workers that never ran have no state and no pending work") {
  const Workers workers;
  for (const std::string name : kWorkerNames) CHECK_FALSE(find_worker(workers.path, name, small_map()));
  CHECK(delivery_backlog(workers.path).pending == 0);
  CHECK_FALSE(delivery_backlog(workers.path).oldest);
  CHECK(email_backlog(workers.path).unsent == 0);
  CHECK(expiry_backlog(workers.path, kStart, small_map()).waiting == 0);
}

TEST_CASE("pending deliveries are counted beside their worker, with the oldest and the longest due") {
  const Workers workers;
  DeliveryRepository store(workers.of("webhooks") / "deliveries.sqlite");
  CHECK_FALSE(find_worker(workers.path, "webhooks", small_map())->running);
  const auto lock = OwnerLock::try_take(workers.path / "webhooks" / "lock");
  store.add({delivery(3, "a"), delivery(5, "b")}, cursor(7));
  const auto worker = find_worker(workers.path, "webhooks", small_map());
  CHECK(worker->running);
  CHECK(worker->cursor == cursor(7));
  const auto backlog = delivery_backlog(workers.path);
  CHECK(backlog.pending == 2);
  CHECK(backlog.oldest == kStart.plus_millis(3000));
  CHECK(backlog.due_since == kStart.plus_millis(3000));
}

TEST_CASE("attempts are counted by result, also those that were pruned") {
  const Workers workers;
  CHECK(attempt_totals(workers.path).empty());
  DeliveryRepository store(workers.of("webhooks") / "deliveries.sqlite");
  store.add({delivery(3, "a"), delivery(5, "b")}, cursor(7));
  const auto attempt = [&](DeliveryStatus status, int http_status) {
    const auto at = kStart.plus_millis(9'000);
    const auto one = store.due(sample_channel_id(), at, 1).at(0);
    std::optional<Timestamp> next;
    if (status == DeliveryStatus::kPending) next = at;
    const DeliveryAttempt made{one.attempts + 1, at, http_status, 12, http_status == 200 ? "" : "no", ""};
    store.record({{one.number, one.channel, one.charge, made, status, next, one.round_start}}, at);
  };
  attempt(DeliveryStatus::kPending, 500);
  attempt(DeliveryStatus::kPending, 0);
  attempt(DeliveryStatus::kPending, 301);
  attempt(DeliveryStatus::kDelivered, 200);
  store.prune(kStart.plus_millis(1'000'000), 10);
  std::string totals;
  for (const auto& total : attempt_totals(workers.path))
    totals += total.outcome + " " + std::to_string(total.attempts) + "; ";
  CHECK(totals == "delivered 1; refused 2; unreachable 1; ");
}

TEST_CASE("a failing channel is reported until it succeeds, or has nothing pending") {
  const Workers workers;
  CHECK(failing_channels(workers.path).empty());
  DeliveryRepository store(workers.of("webhooks") / "deliveries.sqlite");
  store.add({delivery(3, "a"), delivery(5, "b")}, cursor(7));
  CHECK(failing_channels(workers.path).empty());
  const auto attempt = [&](DeliveryStatus status, std::int64_t at_ms) {
    const auto at = kStart.plus_millis(at_ms);
    const auto one = store.due(sample_channel_id(), at, 1).at(0);
    store.record({attempt_of(one, status, at_ms,
                             status == DeliveryStatus::kPending ? std::optional(at_ms) : std::nullopt)},
                 at);
  };
  attempt(DeliveryStatus::kPending, 6'000);
  attempt(DeliveryStatus::kPending, 7'000);
  const auto failing = failing_channels(workers.path);
  REQUIRE(failing.size() == 1);
  CHECK(failing[0].id == sample_channel_id().text());
  CHECK(failing[0].since == kStart.plus_millis(6'000));
  attempt(DeliveryStatus::kDelivered, 8'000);
  CHECK(failing_channels(workers.path).empty());
  attempt(DeliveryStatus::kPending, 9'000);
  CHECK(failing_channels(workers.path).size() == 1);
  attempt(DeliveryStatus::kExhausted, 10'000);
  CHECK(failing_channels(workers.path).empty());
}

TEST_CASE("unsent and given up e-mails are counted beside their worker") {
  const Workers workers;
  EmailRepository store(workers.of("emails") / "emails.sqlite");
  const auto email = [](std::uint64_t position) {
    return NewEmail{Position(position), sample_charge_id(), Environment::kLive,
                    kStart.plus_millis(static_cast<std::int64_t>(position))};
  };
  store.add({email(3), email(5), email(6)}, cursor(9));
  store.record({Position(3), EmailStatus::kRefused, 1, kStart, "no"});
  CHECK(find_worker(workers.path, "emails", small_map())->cursor == cursor(9));
  const auto backlog = email_backlog(workers.path);
  CHECK(backlog.unsent == 2);
  CHECK(backlog.oldest == kStart.plus_millis(5));
  CHECK(backlog.given_up == 1);
  CHECK(backlog.last_given_up == kStart.plus_millis(3));
  CHECK(backlog.capped == 0);
  CHECK(backlog.capped_ever == 0);
}

TEST_CASE("capped e-mails are counted apart from those that were given up, and for ever") {
  const Workers workers;
  EmailRepository store(workers.of("emails") / "emails.sqlite");
  store.add({{Position(3), sample_charge_id(), Environment::kSandbox, kStart}}, cursor(3));
  for (unsigned i = 0; i < kSandboxEmailsToRecipient + 2; ++i)
    store.take_sandbox_share(sample_project_id(), "ana", kStart);
  store.record({Position(3), EmailStatus::kCapped, 1, kStart, "enough"});
  CHECK(email_backlog(workers.path).given_up == 0);
  CHECK(email_backlog(workers.path).capped == 1);
  CHECK(email_backlog(workers.path).capped_ever == 2);
  store.resend(std::nullopt, kStart);
  store.take_sandbox_share(sample_project_id(), "ana", kStart.plus_millis(86'400'000));
  CHECK(email_backlog(workers.path).capped == 0);
  CHECK(email_backlog(workers.path).capped_ever == 2);
}

TEST_CASE("charges past their expiry are counted while their worker has died") {
  LedgerInMemory ledger;
  const auto workers = ledger.directory.path() / "workers";
  {
    projections::DueCharges due(workers / "expiry", ledger.log, small_map());
    std::vector<RecordedEvent> events;
    for (unsigned i = 1; i <= 3; ++i) {
      auto created = sample_charge();
      created.id = parsed<ChargeId>("ccharge00000000000000000" + std::to_string(i));
      created.expires_at = kStart.plus_millis(i * 1000);
      events.push_back({Position(i), charge_stream(created.id), 1, kStart, sample_project_id(), "key-test",
                        "", ChargeEvent(created)});
    }
    due.apply(events, eventstore::cursor_at(ledger.log, ledger.log.head().position));
  }
  const auto backlog = expiry_backlog(workers, kStart.plus_millis(2000), small_map());
  CHECK(backlog.waiting == 2);
  CHECK(backlog.oldest == kStart.plus_millis(1000));
  const auto worker = find_worker(workers, "expiry", small_map());
  CHECK_FALSE(worker->running);
  CHECK(worker->cursor == eventstore::cursor_at(ledger.log, ledger.log.head().position));
}

TEST_CASE("an unreadable cursor is damage, and a missing one means a worker that has not started yet") {
  const Workers workers;
  const auto file = workers.of("webhooks") / "deliveries.sqlite";
  open_sqlite(file, "rwc")->run("CREATE TABLE other (x)");
  CHECK_FALSE(find_worker(workers.path, "webhooks", small_map())->cursor);
  std::filesystem::remove(file);
  DeliveryRepository(file).add({}, cursor(7));
  open_sqlite(file, "rw")->run("UPDATE cursor SET text = 'x'");
  CHECK_THROWS_AS(find_worker(workers.path, "webhooks", small_map()), DataDamaged);
}
