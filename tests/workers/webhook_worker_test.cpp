#include "workers/webhooks/webhook_worker.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>

#include "stores/deliveries/channels.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/servers/hanging_resolver.h"
#include "tests/workers/webhook_worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::verify_webhook;
using namespace std::chrono_literals;
using stores::DeliveryStatus;

namespace {

// A log of which one stream cannot be read.
class DamagedLog final : public ForwardingLog {
 public:
  DamagedLog(eventstore::Log& inner, domain::StreamName damaged)
      : ForwardingLog(inner), damaged_(std::move(damaged)) {}

  eventstore::StreamBatch read_stream(const domain::StreamName& stream, std::uint32_t after_version,
                                      Position up_to) const override {
    if (stream == damaged_) throw eventstore::LogCorrupt("damaged");
    return inner_.read_stream(stream, after_version, up_to);
  }

 private:
  const domain::StreamName damaged_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a charge's life arrives signed at the merchant's receiver, in both versions") {
  for (const auto version : {domain::WebhookVersion::kV1, domain::WebhookVersion::kV2}) {
    WorkerFixture fixture;
    const auto secret = fixture.add_channel(version);
    fixture.start();
    const auto charge = fixture.ledger.create_charge();
    fixture.ledger.pay(charge);

    const auto webhooks = fixture.receiver.wait_for(2);
    REQUIRE(webhooks.size() == 2);
    for (const auto& webhook : webhooks) {
      REQUIRE(verify_webhook(webhook.header("x-webhook-signature"), HmacSha256(secret), webhook.body,
                             fixture.ledger.clock.now()));
      REQUIRE(contains(webhook.body, charge.text()));
      REQUIRE(contains(webhook.body, "apiVersion") == (version == domain::WebhookVersion::kV2));
      REQUIRE(parse_iso8601(webhook.header("x-webhook-timestamp")));
      REQUIRE(webhook.header("x-webhook-attempt") == "1");
    }
    REQUIRE(webhooks[0].header("x-webhook-event") == "transaction.created");
    REQUIRE(webhooks[0].header("x-webhook-sequence") == "1");
    REQUIRE(webhooks[1].header("x-webhook-event") == "transaction.paid");
    REQUIRE(webhooks[1].header("x-webhook-sequence") == "2");
    REQUIRE(contains(webhooks[1].body, "\"fee\":{"));
    REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
    fixture.stop();
  }
}

TEST_CASE("a channel gets only its own kinds of events, and none from before its creation") {
  WorkerFixture fixture;
  const auto before = fixture.ledger.create_charge();
  fixture.ledger.add_channel(sample_channel_id(), fixture.url(), domain::WebhookVersion::kV2,
                             domain::WebhookEventSet::parse("transaction.paid").value());
  fixture.ledger.pay(before);
  const auto after = fixture.ledger.create_charge();
  fixture.ledger.pay(after);
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
  fixture.stop();
  REQUIRE(fixture.deliveries().at(0).charge == before);
  REQUIRE(fixture.deliveries().at(1).charge == after);
}

TEST_CASE("a channel added while the worker runs gets events from then on") {
  WorkerFixture fixture;
  fixture.start();
  fixture.ledger.create_charge();
  fixture.add_channel();
  const auto charge = fixture.ledger.create_charge();
  REQUIRE(fixture.receiver.wait_for(1).size() == 1);
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  REQUIRE(fixture.deliveries().at(0).charge == charge);
  fixture.stop();
}

TEST_CASE("each attempt of a delivery has the same id and body, and its own number") {
  WorkerFixture fixture([](const ReceivedWebhook&, std::size_t nth) { return status(nth < 3 ? 500 : 200); });
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  const auto webhooks = fixture.receiver.wait_for(3);
  REQUIRE(webhooks.size() == 3);
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    REQUIRE(webhooks[i].header("x-webhook-id") == webhooks[0].header("x-webhook-id"));
    REQUIRE(webhooks[i].body == webhooks[0].body);
    REQUIRE(webhooks[i].header("x-webhook-attempt") == std::to_string(i + 1));
  }
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
  const auto attempts = fixture.store.attempts_of(fixture.deliveries().at(0).id);
  REQUIRE(attempts.size() == 3);
  REQUIRE(attempts[0].error == "HTTP 500");
  REQUIRE(attempts[2].error.empty());
}

TEST_CASE("a delivery that fails every attempt is exhausted") {
  WorkerFixture fixture([](const ReceivedWebhook&, std::size_t) { return status(500); });
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kExhausted, 1));
  REQUIRE(fixture.receiver.received().size() == 3);
  fixture.stop();
}

TEST_CASE("the events of a charge arrive in order, also when the first attempt fails") {
  WorkerFixture fixture([](const ReceivedWebhook& webhook, std::size_t) {
    const bool first_of_created = webhook.header("x-webhook-event") == "transaction.created" &&
                                  webhook.header("x-webhook-attempt") == "1";
    return status(first_of_created ? 500 : 200);
  });
  fixture.add_channel();
  constexpr std::size_t kCharges = 20;
  for (std::size_t i = 0; i < kCharges; ++i) fixture.ledger.pay(fixture.ledger.create_charge());
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2 * kCharges));
  fixture.stop();
  std::map<std::string, int> delivered;
  for (const auto& webhook : fixture.receiver.received()) {
    const auto id = webhook.body.substr(webhook.body.find("transactionId"), 50);
    if (webhook.header("x-webhook-event") == "transaction.paid")
      REQUIRE(delivered[id] == 1);
    else if (webhook.header("x-webhook-attempt") == "2")
      ++delivered[id];
  }
}

TEST_CASE("a worker goes on where the one before it stopped, and sends nothing again") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
  const auto missed = fixture.ledger.create_charge();
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
  fixture.stop();
  REQUIRE(fixture.receiver.received().size() == 2);
  REQUIRE(contains(fixture.receiver.received()[1].body, missed.text()));
}

TEST_CASE("what was not delivered before a restart is delivered after it") {
  std::atomic<bool> up = false;
  WorkerFixture fixture([&up](const ReceivedWebhook&, std::size_t) { return status(up ? 200 : 503); });
  fixture.options.schedule = RetrySchedule::parse("0,100ms,100ms,100ms,100ms,100ms,100ms,100ms,100ms,100ms");
  fixture.add_channel();
  fixture.start();
  const auto charge = fixture.ledger.create_charge();
  fixture.ledger.pay(charge);
  fixture.receiver.wait_for(1);
  fixture.stop();
  up = true;
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
  fixture.stop();
}

TEST_CASE("a channel whose target is not public anymore gets nothing") {
  WorkerFixture fixture;
  fixture.ledger.add_channel(sample_channel_id(),
                             "https://rebind.example:" + std::to_string(fixture.receiver.port()));
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kExhausted, 1));
  fixture.stop();
  REQUIRE(fixture.receiver.received().empty());
  const auto attempts = fixture.store.attempts_of(fixture.deliveries().at(0).id);
  REQUIRE(attempts.at(0).error == "target refused: it must resolve to public addresses only");
}

TEST_CASE("a receiver that hangs does not hold up another one") {
  WorkerFixture fixture;
  const HttpsReceiver hanging(fixture.authority.issue("slow.example"),
                              [](const ReceivedWebhook&, std::size_t) {
                                return ReceiverAnswer{200, {}, "", true};
                              });
  fixture.resolver = FakeResolver({{kShopHost, {"127.0.0.1"}}, {"slow.example", {"127.0.0.1"}}});
  fixture.options.sender.attempt_timeout = 1s;
  fixture.ledger.add_channel(sample_channel_id(2),
                             "https://slow.example:" + std::to_string(hanging.port()) + "/");
  fixture.add_channel();
  constexpr std::size_t kCharges = 50;
  for (std::size_t i = 0; i < kCharges; ++i) fixture.ledger.create_charge();
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, kCharges, 1));
  fixture.stop();
  REQUIRE(hanging.received().size() < kCharges);
}

TEST_CASE("a hanging name server delays only its own attempt, up to the time-out") {
  HangingResolver resolver(kShopHost);
  WorkerFixture fixture;
  fixture.options.senders = 1;
  fixture.options.sender.attempt_timeout = 1s;
  fixture.options.schedule = RetrySchedule::parse("0,10ms");
  fixture.ledger.add_channel(sample_channel_id(2), std::string("https://") + HangingResolver::kHangs + "/");
  fixture.add_channel();
  fixture.ledger.create_charge();
  fixture.start(fixture.ledger.log, resolver);
  const bool reached = fixture.all_reach(DeliveryStatus::kExhausted, 1, 2) &&
                       fixture.all_reach(DeliveryStatus::kDelivered, 1, 1);
  resolver.let_go();
  REQUIRE(reached);
  fixture.stop();
  const auto attempts = fixture.store.attempts_of(fixture.deliveries(2).at(0).id);
  CHECK(attempts.at(0).error == "the name server did not answer in time");
}

TEST_CASE("a secret that cannot be opened fails its channel's deliveries and nothing else") {
  WorkerFixture fixture;
  fixture.ledger.execute(domain::AddChannel{sample_channel_id(2),
                                            fixture.ledger.project(),
                                            std::nullopt,
                                            fixture.url(),
                                            domain::WebhookEventSet::standard(),
                                            domain::WebhookVersion::kV2,
                                            {"broken"},
                                            "oken"});
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1, 1));
  REQUIRE(fixture.all_reach(DeliveryStatus::kExhausted, 1, 2));
  fixture.stop();
}

TEST_CASE("a stream that cannot be read fails the deliveries that need it and nothing else") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.ledger.add_channel(sample_channel_id(2), fixture.url());
  const auto lost = fixture.ledger.create_charge();
  fixture.ledger.create_charge();
  fixture.make_deliveries();
  const auto expect = [&](std::size_t delivered, std::size_t exhausted) {
    const bool reached = eventually([&] {
      return fixture.count(DeliveryStatus::kDelivered) == delivered &&
             fixture.count(DeliveryStatus::kExhausted) == exhausted;
    });
    CHECK(reached);
  };
  SECTION("a charge's") {
    const DamagedLog log(fixture.ledger.log, domain::charge_stream(lost));
    fixture.start(log, fixture.resolver);
    expect(2, 2);
    fixture.stop();
  }
  SECTION("a channel's") {
    const DamagedLog log(fixture.ledger.log, domain::channel_stream(sample_channel_id(2)));
    fixture.start(log, fixture.resolver);
    expect(2, 2);
    fixture.stop();
    CHECK(fixture.all_reach(DeliveryStatus::kDelivered, 2, 1));
  }
}

TEST_CASE("a worker refuses a cursor that is not one of its log") {
  WorkerFixture fixture;
  auto cursor = eventstore::cursor_at(fixture.ledger.log, Position(1));
  cursor.log.epoch = 2;
  fixture.store.add({}, cursor);
  REQUIRE_THROWS_AS(fixture.start(), eventstore::CursorMismatch);
}
