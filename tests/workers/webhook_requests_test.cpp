#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <sstream>

#include "stores/deliveries/channels.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/workers/webhook_worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::verify_webhook;

namespace {

void set_active(WorkerFixture& fixture, bool active) {
  domain::ChannelChange change;
  change.is_active = active;
  fixture.ledger.execute(domain::UpdateChannel{fixture.merchant(), sample_channel_id(), change});
}

void request_test(WorkerFixture& fixture) {
  fixture.ledger.execute(
      domain::RequestChannelTest{fixture.merchant(), sample_channel_id(), domain::Environment::kSandbox});
}

void request_recovery(WorkerFixture& fixture, Timestamp since) {
  fixture.ledger.execute(
      domain::RequestRecovery{fixture.merchant(), sample_channel_id(), since, std::nullopt, 0});
}

std::vector<std::string> bodies_with(const std::vector<ReceivedWebhook>& webhooks, const std::string& part) {
  std::vector<std::string> found;
  for (const auto& webhook : webhooks) {
    if (webhook.body.find(part) != std::string::npos) found.push_back(webhook.body);
  }
  return found;
}

}  // namespace

TEST_CASE("a receiver that is gone has its channel disabled, and what is pending is given up") {
  WorkerFixture fixture([](const ReceivedWebhook&, std::size_t) { return status(410); });
  fixture.add_channel();
  fixture.ledger.pay(fixture.ledger.create_charge());
  fixture.start();
  REQUIRE(eventually([&] { return !fixture.channel().is_active; }));
  REQUIRE(fixture.channel().disabled_reason == domain::ChannelDisabledReason::kGone);
  REQUIRE(fixture.all_reach(DeliveryStatus::kFailed, 2));
  fixture.ledger.create_charge();
  fixture.stop();
  fixture.start();
  request_test(fixture);
  REQUIRE(eventually([&] { return fixture.deliveries().size() == 3; }));
  fixture.stop();
  REQUIRE(fixture.deliveries().back().is_test());
}

TEST_CASE("nothing but failures for too long disables a channel, and recovery sends what it missed") {
  std::atomic<bool> up = false;
  WorkerFixture fixture([&up](const ReceivedWebhook&, std::size_t) { return status(up ? 200 : 500); });
  fixture.options.disable_after = 50ms;
  fixture.options.schedule = RetrySchedule::parse("0,30ms,30ms,30ms,30ms,30ms,30ms,30ms");
  const auto before = fixture.ledger.clock.now();
  fixture.add_channel();
  const auto charge = fixture.ledger.create_charge();
  fixture.start();
  REQUIRE(eventually([&] { return !fixture.channel().is_active; }));
  REQUIRE(fixture.channel().disabled_reason == domain::ChannelDisabledReason::kFailing);
  REQUIRE(fixture.all_reach(DeliveryStatus::kFailed, 1));
  fixture.ledger.pay(charge);
  up = true;
  set_active(fixture, true);
  request_recovery(fixture, before);
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
  fixture.stop();
  REQUIRE(fixture.deliveries().at(0).event == domain::WebhookEvent::kTransactionCreated);
  REQUIRE(fixture.deliveries().at(0).attempts > 1);
  REQUIRE(fixture.store.health(sample_channel_id()).consecutive_failures == 0);
}

TEST_CASE("a recovery sends at once what is to be tried again only hours later") {
  std::atomic<bool> up = false;
  WorkerFixture fixture([&up](const ReceivedWebhook&, std::size_t) { return status(up ? 200 : 500); });
  fixture.options.schedule = RetrySchedule::parse("0,5h");
  const auto before = fixture.ledger.clock.now();
  fixture.add_channel();
  fixture.ledger.pay(fixture.ledger.create_charge());
  fixture.start();
  REQUIRE(eventually([&] {
    const auto all = fixture.deliveries();
    return all.size() == 2 && all[0].attempts == 1;
  }));
  up = true;
  request_recovery(fixture, before);
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2));
  fixture.stop();
  CHECK(fixture.deliveries().at(0).attempts == 2);
  CHECK(fixture.deliveries().at(1).attempts == 1);
}

TEST_CASE("a redelivery that is asked for while an attempt runs goes out once that has ended") {
  std::promise<void> asked;
  const auto has_asked = asked.get_future().share();
  WorkerFixture fixture([&](const ReceivedWebhook&, std::size_t nth) {
    if (nth == 1) has_asked.wait();
    return status(200);
  });
  fixture.options.schedule = RetrySchedule::parse("0,5h");
  fixture.add_channel();
  fixture.ledger.create_charge();
  fixture.start();
  fixture.receiver.wait_for(1);
  const auto delivery = fixture.deliveries().at(0).id;
  fixture.ledger.execute(
      domain::RequestRedelivery{fixture.merchant(), sample_channel_id(), delivery, /*attempts=*/0});
  const auto head = fixture.ledger.log.head().position;
  REQUIRE(eventually([&] { return fixture.store.cursor()->position == head; }));
  asked.set_value();
  const auto received = fixture.receiver.wait_for(2);
  REQUIRE(received.size() == 2);
  CHECK(received[1].header("x-webhook-id") == received[0].header("x-webhook-id"));
  CHECK(received[1].header("x-webhook-attempt") == "2");
  CHECK(eventually([&] {
    const auto sent = fixture.deliveries().at(0);
    return sent.status == DeliveryStatus::kDelivered && sent.attempts == 2;
  }));
  fixture.stop();
  CHECK(fixture.receiver.received().size() == 2);
}

TEST_CASE("a channel is not disabled for failures from before it began anew") {
  WorkerFixture fixture([](const ReceivedWebhook&, std::size_t) { return status(500); });
  fixture.options.disable_after = std::chrono::hours(1);
  fixture.add_channel();
  fixture.ledger.create_charge();
  fixture.make_deliveries();
  auto long_ago = attempt_of(fixture.deliveries().at(0), DeliveryStatus::kPending, 0, 1);
  fixture.store.record({long_ago}, long_ago.attempt->at);
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kExhausted, 1));
  fixture.stop();
  REQUIRE(fixture.store.health(sample_channel_id()).failing_since == long_ago.attempt->at);
  REQUIRE(fixture.channel().is_active);
}

TEST_CASE("while a channel is inactive nothing is queued for it") {
  WorkerFixture fixture;
  fixture.add_channel();
  set_active(fixture, false);
  fixture.ledger.create_charge();
  set_active(fixture, true);
  fixture.ledger.create_charge();
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
}

TEST_CASE("a channel that was deleted gets nothing more") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.ledger.create_charge();
  fixture.make_deliveries();
  fixture.ledger.execute(domain::DeleteChannel{fixture.merchant(), sample_channel_id()});
  fixture.start();
  REQUIRE(fixture.all_reach(DeliveryStatus::kFailed, 1));
  fixture.stop();
  REQUIRE(fixture.receiver.received().empty());
}

TEST_CASE("a test is sent also to a channel that is not active") {
  WorkerFixture fixture;
  const auto secret = fixture.add_channel();
  set_active(fixture, false);
  fixture.start();
  request_test(fixture);
  const auto webhook = fixture.receiver.wait_for(1).at(0);
  REQUIRE(webhook.header("x-webhook-event") == "webhook.test");
  REQUIRE(webhook.headers.count("x-webhook-sequence") == 0);
  REQUIRE(webhook.body.find(R"("event":"webhook.test","apiVersion":"v2","type":"webhook")") !=
          std::string::npos);
  REQUIRE(verify_webhook(webhook.header("x-webhook-signature"), HmacSha256(secret), webhook.body,
                         fixture.ledger.clock.now()));
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
}

TEST_CASE("a delivery that is asked for again has the same id and body, and the next attempt's number") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  const auto delivery = fixture.deliveries().at(0);
  fixture.ledger.execute(
      domain::RequestRedelivery{fixture.merchant(), sample_channel_id(), delivery.id, delivery.attempts});
  const auto webhooks = fixture.receiver.wait_for(2);
  REQUIRE(webhooks.size() == 2);
  REQUIRE(webhooks[1].header("x-webhook-attempt") == "2");
  REQUIRE(webhooks[1].header("x-webhook-id") == webhooks[0].header("x-webhook-id"));
  REQUIRE(webhooks[1].body == webhooks[0].body);
  REQUIRE(eventually([&] { return fixture.store.attempts_of(delivery.id).size() == 2; }));
  fixture.stop();
}

TEST_CASE("a recovery sends what was missed between its bounds, and nothing that was delivered") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  set_active(fixture, false);
  const auto too_early = fixture.ledger.create_charge();
  const auto since = fixture.ledger.clock.now().plus_millis(1);
  REQUIRE(eventually([&] { return fixture.ledger.clock.now() >= since; }));
  const auto missed = fixture.ledger.create_charge();
  fixture.ledger.pay(missed);
  set_active(fixture, true);
  request_recovery(fixture, since);
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 3));
  request_recovery(fixture, since);
  const auto later = fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 4));
  fixture.stop();
  const auto received = fixture.receiver.received();
  REQUIRE(received.size() == 4);
  REQUIRE(bodies_with(received, missed.text()).size() == 2);
  REQUIRE(bodies_with(received, too_early.text()).empty());
  REQUIRE(bodies_with(received, later.text()).size() == 1);
}

TEST_CASE("a recovery whose channel is stopped right after it was accepted is done once it is active again") {
  WorkerFixture fixture;
  const auto before = fixture.ledger.clock.now();
  fixture.add_channel();
  set_active(fixture, false);
  const auto missed = fixture.ledger.create_charge();
  set_active(fixture, true);
  request_recovery(fixture, before);
  set_active(fixture, false);
  fixture.start();
  const auto head = fixture.ledger.log.head().position;
  REQUIRE(eventually([&] {
    const auto cursor = fixture.store.cursor();
    return cursor && cursor->position == head;
  }));
  REQUIRE(fixture.receiver.received().empty());
  set_active(fixture, true);
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
  REQUIRE(bodies_with(fixture.receiver.received(), missed.text()).size() == 1);
}

TEST_CASE("what retention has removed is not sent again by a recovery") {
  WorkerFixture fixture;
  fixture.options.keep_deliveries = 0ms;
  const auto before = fixture.ledger.clock.now();
  fixture.add_channel();
  fixture.ledger.create_charge();
  fixture.start();
  REQUIRE(fixture.receiver.wait_for(1).size() == 1);
  fixture.stop();
  fixture.start();  // pruning is the first thing that a keeper does
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 0));
  request_recovery(fixture, before);
  fixture.ledger.create_charge();
  REQUIRE(fixture.receiver.wait_for(2).size() == 2);
  REQUIRE(eventually([&] { return !fixture.store.next_recovery(std::nullopt); }));
  fixture.stop();
  REQUIRE(fixture.receiver.received().size() == 2);
}

TEST_CASE("during the grace of a rotation the old secret signs, and the new one beside it") {
  WorkerFixture fixture;
  const auto old_secret = fixture.add_channel();
  const auto rotate = [&](std::int64_t grace_seconds) {
    const auto secret =
        stores::make_channel_secret(sample_channel_id(), fixture.ledger.keyring, fixture.ledger.entropy);
    fixture.ledger.execute(domain::RotateChannelSecret{fixture.merchant(), sample_channel_id(), secret.sealed,
                                                       secret.hint, grace_seconds});
    return secret.text;
  };
  const auto is_signed = [&](const ReceivedWebhook& webhook, const std::string& header,
                             const std::string& secret) {
    return verify_webhook(webhook.header(header), HmacSha256(secret), webhook.body,
                          fixture.ledger.clock.now());
  };
  fixture.start();
  SECTION("with a grace") {
    const auto new_secret = rotate(3'600);
    fixture.ledger.create_charge();
    const auto webhook = fixture.receiver.wait_for(1).at(0);
    REQUIRE(is_signed(webhook, "x-webhook-signature", old_secret));
    REQUIRE(is_signed(webhook, "x-webhook-signature-next", new_secret));
  }
  SECTION("rotated again and again within a grace") {
    const std::vector<std::string> between = {rotate(3'600), rotate(60)};
    const auto new_secret = rotate(7'200);
    fixture.ledger.create_charge();
    const auto webhook = fixture.receiver.wait_for(1).at(0);
    REQUIRE(is_signed(webhook, "x-webhook-signature", old_secret));
    REQUIRE(is_signed(webhook, "x-webhook-signature-next", new_secret));
    std::istringstream signatures(webhook.header("x-webhook-signature-between"));
    for (const auto& secret : between) {
      std::string signature;
      REQUIRE(signatures >> signature);
      REQUIRE(verify_webhook(signature, HmacSha256(secret), webhook.body, fixture.ledger.clock.now()));
    }
    REQUIRE(signatures.eof());
    const auto standard = webhook.header("webhook-signature");
    REQUIRE(std::count(standard.begin(), standard.end(), ' ') == 3);
  }
  SECTION("without") {
    const auto new_secret = rotate(0);
    fixture.ledger.create_charge();
    const auto webhook = fixture.receiver.wait_for(1).at(0);
    REQUIRE(is_signed(webhook, "x-webhook-signature", new_secret));
    REQUIRE(webhook.headers.count("x-webhook-signature-next") == 0);
  }
  fixture.stop();
}

TEST_CASE("the beginning of each answer is kept") {
  WorkerFixture fixture([](const ReceivedWebhook&, std::size_t nth) {
    return nth == 1 ? ReceiverAnswer{500, {}, "no \xffspace\nleft " + std::string(5'000, 'x')}
                    : ReceiverAnswer{};
  });
  fixture.add_channel();
  fixture.start();
  fixture.ledger.create_charge();
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 1));
  fixture.stop();
  const auto attempts = fixture.store.attempts_of(fixture.deliveries().at(0).id);
  REQUIRE(attempts.at(0).answer.size() == stores::kAnswerBytesKept);
  REQUIRE(attempts.at(0).answer.substr(0, 16) == "no \u00ffspace left ");
  REQUIRE(attempts.at(1).answer == "ok");
}
