#include <atomic>
#include <catch2/catch.hpp>

#include "stores/deliveries/channels.h"
#include "tests/workers/webhook_worker_fixture.h"
#include "workers/common/resume_from.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::verify_webhook;

namespace {

struct Session {
  domain::CheckoutSessionId id;
  domain::ChargeId charge;
  std::string secret;  // of its own channel
};

// With a charge, and a channel of its own of that version.
Session create_session(WorkerFixture& fixture, domain::WebhookVersion version) {
  auto& ledger = fixture.ledger;
  auto command = sample_checkout();
  command.id = eventstore::fresh_id<domain::CheckoutSessionId>(ledger.log, ledger.clock, ledger.entropy);
  command.project = ledger.project();
  const auto creation = sample_creation();
  command.payer = domain::CheckoutPayer{creation.token, creation.customer};
  auto secret = stores::make_channel_secret(domain::channel_of(command.id), ledger.keyring, ledger.entropy);
  command.webhook_version = version;
  command.channel = domain::CheckoutChannel{fixture.url(), std::move(secret.sealed), std::move(secret.hint)};
  const auto id = command.id;
  const auto completed = ledger.execute(std::move(command));
  const auto& added =
      std::get<domain::CheckoutChargeAdded>(std::get<domain::CheckoutEvent>(completed.events().back().event));
  return {id, added.charge, secret.text};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a session's own channel is told of its charges alone, in its version, with its secret") {
  for (const auto version : {domain::WebhookVersion::kV1, domain::WebhookVersion::kV2}) {
    WorkerFixture fixture;
    fixture.start();
    const auto session = create_session(fixture, version);
    const auto other = fixture.ledger.create_charge();
    fixture.ledger.pay(other);
    fixture.ledger.pay(session.charge);
    const auto webhooks = fixture.receiver.wait_for(2);
    REQUIRE(webhooks.size() == 2);
    for (const auto& webhook : webhooks) {
      CHECK(verify_webhook(webhook.header("x-webhook-signature"), HmacSha256(session.secret), webhook.body,
                           fixture.ledger.clock.now()));
      CHECK(contains(webhook.body, session.charge.text()));
      CHECK(contains(webhook.body, "apiVersion") == (version == domain::WebhookVersion::kV2));
      CHECK(contains(webhook.body, "checkoutSessionId") == (version == domain::WebhookVersion::kV2));
    }
    CHECK(webhooks[1].header("x-webhook-event") == "transaction.paid");
    CHECK(fixture.receiver.wait_for(2).size() == 2);
    fixture.stop();
  }
}

TEST_CASE("a project's channels are told of a session's charges as of all others, and keep their versions") {
  WorkerFixture fixture;
  fixture.add_channel(domain::WebhookVersion::kV2);
  fixture.ledger.add_channel(sample_channel_id(2), fixture.url(), domain::WebhookVersion::kV1);
  const auto session = create_session(fixture, domain::WebhookVersion::kV1);
  const auto plain = fixture.ledger.create_charge();
  fixture.make_deliveries();
  const auto own = fixture.store.deliveries_of(domain::channel_of(session.id), 10);
  REQUIRE(own.size() == 1);
  CHECK(own.front().charge == session.charge);
  CHECK(own.front().version == domain::WebhookVersion::kV1);
  for (const unsigned channel : {1U, 2U}) {
    const auto told = fixture.deliveries(channel);
    REQUIRE(told.size() == 2);
    CHECK(told[0].charge == session.charge);
    CHECK(told[1].charge == plain);
  }
}

TEST_CASE("an answer that the receiver is gone ends one delivery of a session, and no later ones") {
  std::atomic<bool> up = false;
  WorkerFixture fixture([&up](const ReceivedWebhook&, std::size_t) { return status(up ? 200 : 410); });
  fixture.start();
  const auto session = create_session(fixture, domain::WebhookVersion::kV2);
  const auto own = domain::channel_of(session.id);
  const auto reach = [&](std::vector<DeliveryStatus> wanted) {
    return eventually([&] {
      std::vector<DeliveryStatus> statuses;
      for (const auto& each : fixture.store.deliveries_of(own, 10)) statuses.push_back(each.status);
      return statuses == wanted;
    });
  };
  REQUIRE(reach({DeliveryStatus::kFailed}));
  up = true;
  fixture.ledger.pay(session.charge);
  REQUIRE(reach({DeliveryStatus::kDelivered, DeliveryStatus::kFailed}));
  const auto failed = fixture.store.deliveries_of(own, 10).back().id;
  fixture.ledger.execute(domain::RequestRedelivery{fixture.merchant(), own, failed, 1});
  REQUIRE(reach({DeliveryStatus::kDelivered, DeliveryStatus::kDelivered}));
  fixture.stop();
}

TEST_CASE("a session is told of what happens after nothing but failures for too long") {
  std::atomic<bool> up = false;
  WorkerFixture fixture([&up](const ReceivedWebhook&, std::size_t) { return status(up ? 200 : 500); });
  fixture.options.disable_after = 1ms;
  fixture.options.schedule = RetrySchedule::parse("0,30ms,30ms");
  fixture.start();
  const auto session = create_session(fixture, domain::WebhookVersion::kV2);
  const auto own = domain::channel_of(session.id);
  const auto has = [&](std::size_t at, DeliveryStatus wanted) {
    return eventually([&] {
      const auto all = fixture.store.deliveries_of(own, 10);
      return all.size() > at && all[at].status == wanted;
    });
  };
  REQUIRE(has(0, DeliveryStatus::kExhausted));
  up = true;
  fixture.ledger.pay(session.charge);
  REQUIRE(has(1, DeliveryStatus::kExhausted));
  REQUIRE(has(0, DeliveryStatus::kDelivered));
  fixture.stop();
}

TEST_CASE("a worker that has lost its state asks where to begin for a session's channel alone, too") {
  WorkerFixture fixture;
  CHECK(workers::kWebhooksBegin.find(fixture.ledger.log));
  create_session(fixture, domain::WebhookVersion::kV2);
  CHECK_FALSE(workers::kWebhooksBegin.find(fixture.ledger.log));
}
