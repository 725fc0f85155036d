#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/signed_in.h"

// The requests of one delivery, the v2 preview of a v1 webhook, and a receiver's answers.
namespace pixledger::tests {
namespace {

using domain::Role;
using stores::DeliveryStatus;

const std::string kPath = ChannelService::kPath;

struct Fixture : ChannelService {
  HttpAnswer added = add();
  std::string channel = added.at("/data/id");
  std::string charge = create_charge(service, project.test_key);

  HttpAnswer detail(const std::string& id) const { return detail(id, project.live_key); }
  HttpAnswer detail(const std::string& id, const std::string& key) const {
    return service.send("GET", "/api/v1/deliveries/" + id, key);
  }
  HttpAnswer of_channel(const std::string& what) const { return send("GET", kPath + "/" + channel + what); }
  // A channel of the sandbox only.
  std::string add_tried() const {
    return add(R"({"url":"https://shop.example/","environments":["sandbox"]})").at("/data/id");
  }
  std::string now() { return to_iso8601(service.clock().now()); }
};

}  // namespace

TEST_CASE("a delivery is shown with its last attempt's request, except the signatures") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  const auto pending = fixture.detail(id);
  INFO(pending.body);
  REQUIRE(pending.status == 200);
  CHECK(pending.at("/data/id") == id);
  CHECK(pending.at("/data/status") == "pending");
  CHECK(pending.at("/data/attempts") == "[]");
  CHECK(pending.at("/data/request/url") == "https://shop.example/hooks");
  CHECK(pending.at("/data/request/webhookApiVersion") == "v2");
  CHECK(pending.at("/data/request/attempt") == "1");
  CHECK(pending.at("/data/request/headers/X-Webhook-Id") == id);
  CHECK(pending.at("/data/request/headers/X-Webhook-Attempt") == "1");
  for (const std::string name : {"X-Webhook-Signature", "webhook-signature"})
    CHECK(pending.at("/data/request/headers/" + name) == "***");
  const HttpAnswer body{.status = 200, .headers = {}, .body = pending.at("/data/request/body")};
  CHECK(body.at("/event") == "transaction.created");
  CHECK(body.at("/data/transactionId") == fixture.charge);

  fixture.attempt(id, 500, DeliveryStatus::kPending);
  fixture.attempt(id, 200, DeliveryStatus::kDelivered);
  const auto delivered = fixture.detail(id);
  CHECK(delivered.at("/data/status") == "delivered");
  CHECK(delivered.at("/data/attempts/1/httpStatus") == "200");
  CHECK(delivered.at("/data/request/attempt") == "2");
  CHECK(delivered.at("/data/request/headers/X-Webhook-Attempt") == "2");
  CHECK(delivered.at("/data/request/body") == pending.at("/data/request/body"));
  const auto secret = fixture.added.at("/data/secret");
  CHECK(delivered.body.find(secret.substr(secret.find('_') + 1)) == std::string::npos);
}

TEST_CASE("a delivery shows its receiver's answers, and its order") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  const std::string said = R"(<b>pedido de Maria "não" existe</b>)";
  fixture.attempt(id, 422, DeliveryStatus::kPending, said);
  fixture.attempt(id, 0, DeliveryStatus::kPending);
  fixture.attempt(id, 204, DeliveryStatus::kDelivered);
  const auto shown = fixture.detail(id);
  CHECK(shown.at("/data/attempts/0/response") == said);
  CHECK(shown.at("/data/attempts/1/response") == "null");
  CHECK(shown.at("/data/attempts/2/response") == "");
  CHECK(shown.at("/data/externalId") == fixture.charge);
  CHECK(shown.at("/data/environment") == "sandbox");
  // Lists leave out the details.
  CHECK_FALSE(fixture.of_channel("/deliveries").has("/data/0/attempts/0/response"));
  const auto vera = sign_in(fixture.service, fixture.project.id, Role::kViewer, "vera");
  const auto seen = send_as(fixture.service, vera, "GET", "/api/v1/deliveries/" + id);
  CHECK(seen.at("/data/attempts/0/response") == "null");
  CHECK(seen.body.find("Maria") == std::string::npos);
}

TEST_CASE("a delivery is shown to callers who may see its channel") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  const auto other = fixture.service.create_project();
  CHECK(outcome_of(fixture.detail(id, other.live_key)) == "404 ERR_DELIVERY_001");
  // Its channel gets live, too.
  CHECK(outcome_of(fixture.detail(id, fixture.project.test_key)) == "403 ERR_AUTH_010");
  const auto tried = fixture.deliver(fixture.add_tried(), fixture.charge);
  CHECK(fixture.detail(tried, fixture.project.test_key).at("/data/id") == tried);
  CHECK(outcome_of(fixture.detail("cdelivery0001")) == "404 ERR_DELIVERY_001");
  CHECK(outcome_of(fixture.detail("x-1")) == "400 ERR_VALIDATION_001");
  fixture.remove(fixture.channel);
  CHECK(outcome_of(fixture.detail(id)) == "404 ERR_DELIVERY_001");
}

TEST_CASE("there is no delivery to show before a worker has made some") {
  const Fixture fixture;
  CHECK(outcome_of(fixture.detail("cdelivery0001")) == "404 ERR_DELIVERY_001");
}

TEST_CASE("a viewer sees that something was sent, and to where, without the body") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  const auto vera = sign_in(fixture.service, fixture.project.id, Role::kViewer, "vera");
  const auto seen = send_as(fixture.service, vera, "GET", "/api/v1/deliveries/" + id);
  CHECK(seen.at("/data/request/url") == "https://shop.example/hooks");
  CHECK(seen.at("/data/request/body") == "null");
  const auto preview = send_as(fixture.service, vera, "GET",
                               kPath + "/" + fixture.channel + "/preview?event=transaction.created");
  CHECK(preview.at("/data/v1/body") == "null");
  CHECK(preview.at("/data/v2/body") == "null");
  for (const std::string personal : {"Maria", "52998224725", "maria@"}) {
    CHECK(seen.body.find(personal) == std::string::npos);
    CHECK(preview.body.find(personal) == std::string::npos);
  }
}

TEST_CASE("the newest event of a kind is shown in v1 and in v2") {
  Fixture fixture;
  fixture.deliver(fixture.channel, fixture.charge);
  const auto newest = create_charge(fixture.service, fixture.project.test_key);
  fixture.deliver(fixture.channel, newest);
  const auto answer = fixture.of_channel("/preview?event=transaction.created&webhookApiVersion=v2");
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  CHECK(answer.at("/data/event") == "transaction.created");
  CHECK(answer.at("/data/isSample") == "false");
  const HttpAnswer v2{.status = 200, .headers = {}, .body = answer.at("/data/v2/body")};
  CHECK(v2.at("/data/transactionId") == newest);
  CHECK(answer.at("/data/v1/body") != answer.at("/data/v2/body"));
  CHECK(answer.at("/data/v1/body").find(newest) != std::string::npos);
  CHECK(answer.at("/data/v2/headers/X-Webhook-Signature") == "***");
}

TEST_CASE("without such an event the preview shows a test") {
  Fixture fixture;
  fixture.deliver(fixture.channel, fixture.charge);
  const auto answer = fixture.of_channel("/preview");  // of transaction.paid
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  CHECK(answer.at("/data/isSample") == "true");
  CHECK(answer.at("/data/event") == "webhook.test");
  CHECK(answer.at("/data/v2/body").find("webhook.test") != std::string::npos);
  CHECK(answer.at("/data/v1/body").find("webhook.test") != std::string::npos);
}

TEST_CASE("a preview of an unknown event, version or channel is refused") {
  Fixture fixture;
  CHECK(fixture.of_channel("/preview?event=transaction.lost").at("/details/0/field") == "event");
  CHECK(fixture.of_channel("/preview?webhookApiVersion=v1").at("/details/0/field") == "webhookApiVersion");
  CHECK(fixture.of_channel("/preview?version=v2").at("/details/0/field") == "version");
  const auto path = kPath + "/" + fixture.channel + "/preview";
  const auto other = fixture.service.create_project();
  CHECK(outcome_of(fixture.service.send("GET", path, other.live_key)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.service.send("GET", path, fixture.project.test_key)) == "403 ERR_AUTH_010");
}

TEST_CASE("a receiver's recent answers are counted by hour") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  fixture.attempt(id, 500, DeliveryStatus::kPending);
  fixture.attempt(id, 0, DeliveryStatus::kPending);
  fixture.service.clock().advance_millis(60 * kMinuteMs);
  fixture.attempt(id, 200, DeliveryStatus::kDelivered);
  fixture.deliver(fixture.channel, create_charge(fixture.service, fixture.project.test_key));
  const auto stats = fixture.of_channel("/stats");
  INFO(stats.body);
  REQUIRE(stats.status == 200);
  CHECK(stats.at("/data/hours/0/hour") == "2026-09-20T16:00:00.000Z");
  CHECK(stats.at("/data/hours/22/hour") == "2026-09-21T14:00:00.000Z");
  CHECK(stats.at("/data/hours/22/delivered") == "0");
  CHECK(stats.at("/data/hours/22/failed") == "2");
  CHECK(stats.at("/data/hours/23/delivered") == "1");
  CHECK(stats.at("/data/hours/23/failed") == "0");
  CHECK_FALSE(stats.has("/data/hours/24"));
  CHECK(stats.at("/data/delivered") == "1");
  CHECK(stats.at("/data/failed") == "2");
  CHECK(stats.at("/data/pending") == "1");
  CHECK(stats.at("/data/latencyP50Ms") == "12");
  CHECK(stats.at("/data/latencyP95Ms") == "12");
  CHECK(stats.at("/data/errors/0/error") == "no success");
  CHECK(stats.at("/data/errors/0/count") == "2");
  CHECK(stats.at("/data/completeSince") == stats.at("/data/hours/0/hour"));
  // A day later only pending deliveries are left.
  fixture.service.clock().advance_millis(kDayMs);
  const auto later = fixture.of_channel("/stats");
  CHECK(later.at("/data/delivered") == "0");
  CHECK(later.at("/data/failed") == "0");
  CHECK(later.at("/data/pending") == "1");
  CHECK(later.at("/data/latencyP50Ms") == "null");
  CHECK(later.at("/data/errors") == "[]");
}

TEST_CASE("a receiver without deliveries has no counts") {
  const Fixture fixture;
  const auto stats = fixture.of_channel("/stats");
  CHECK(stats.status == 200);
  CHECK(stats.at("/data/delivered") == "0");
  CHECK(stats.at("/data/latencyP95Ms") == "null");
  CHECK(stats.has("/data/hours/23"));
}

TEST_CASE("a receiver's answers are shown to callers who may see the channel") {
  Fixture fixture;
  const auto path = kPath + "/" + fixture.channel + "/stats";
  const auto other = fixture.service.create_project();
  CHECK(outcome_of(fixture.service.send("GET", path, other.live_key)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.service.send("GET", path, fixture.project.test_key)) == "403 ERR_AUTH_010");
  const auto tried = kPath + "/" + fixture.add_tried() + "/stats";
  CHECK(fixture.service.send("GET", tried, fixture.project.test_key).status == 200);
  CHECK(outcome_of(fixture.send("GET", kPath + "/x-1/stats")) == "400 ERR_VALIDATION_001");
  CHECK(fixture.of_channel("/stats?hours=1").at("/details/0/field") == "hours");
}

}  // namespace pixledger::tests
