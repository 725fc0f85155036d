#include <catch2/catch.hpp>

#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/signed_in.h"

namespace pixledger::tests {
namespace {

using stores::DeliveryStatus;

const std::string kPath = ChannelService::kPath;

struct Fixture : ChannelService {
  std::string channel = add_one();
  std::string charge = create_charge(service, project.test_key);

  HttpAnswer list(const std::string& query = "") const {
    return send("GET", kPath + "/" + channel + "/deliveries" + query);
  }
  HttpAnswer redeliver(const std::string& id) const {
    return send("POST", "/api/v1/deliveries/" + id + "/redeliver");
  }
  HttpAnswer recover(const std::string& body) const {
    return send("POST", kPath + "/" + channel + "/recover", body);
  }
  HttpAnswer test() const { return send("POST", kPath + "/" + channel + "/test"); }
  std::string now() { return to_iso8601(service.clock().now()); }
  std::string since_ever() const { return R"({"since":"2020-01-01T00:00:00Z"})"; }
};

}  // namespace

TEST_CASE("there are no deliveries before a worker has made some") {
  Fixture fixture;
  CHECK(fixture.list().body ==
        R"({"success":true,"data":[],"meta":{"total":0,"page":1,"limit":10,"totalPages":0}})");
  CHECK(outcome_of(fixture.redeliver("cdelivery0001")) == "404 ERR_DELIVERY_001");
}

TEST_CASE("a delivery is shown with all its attempts") {
  Fixture fixture;
  const auto created = fixture.now();
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  fixture.attempt(id, 500, DeliveryStatus::kPending);
  fixture.service.clock().advance_millis(5'000);
  fixture.attempt(id, 0, DeliveryStatus::kPending);
  const auto second = fixture.now();
  fixture.service.clock().advance_millis(5'000);
  const auto shown = fixture.list();
  CHECK(shown.body ==
        R"({"success":true,"data":[{"id":")" + id + R"(","channelId":")" + fixture.channel +
            R"(","event":"transaction.created","transactionId":")" + fixture.charge + R"(","externalId":")" +
            fixture.charge +
            R"(","environment":"sandbox","status":"pending","attempts":[{"number":1,"at":")" + created +
            R"(","httpStatus":500,"latencyMs":12,"error":"no success"},{"number":2,"at":")" + second +
            R"(","httpStatus":null,"latencyMs":12,"error":"no success"}],"nextAttemptAt":")" + fixture.now() +
            R"(","createdAt":")" + created + R"("}],"meta":{"total":1,"page":1,"limit":10,"totalPages":1}})");

  fixture.attempt(id, 200, DeliveryStatus::kDelivered);
  const auto delivered = fixture.list();
  CHECK(delivered.at("/data/0/status") == "delivered");
  CHECK(delivered.at("/data/0/attempts/2/error") == "null");
  CHECK(delivered.at("/data/0/nextAttemptAt") == "null");
}

TEST_CASE("a delivery names the order and the environment that it is about") {
  Fixture fixture;
  auto body = creation_body();
  body.insert(1, R"("externalId":"pedido-1042",)");
  const auto created = fixture.service.send("POST", "/api/v1/transactions", fixture.project.live_key, body);
  const auto charge = created.at("/data/id");
  const auto id = fixture.deliver(fixture.channel, charge);
  fixture.deliver(fixture.channel, fixture.charge);
  const auto listed = fixture.list();
  CHECK(listed.at("/data/0/externalId") == "pedido-1042");
  CHECK(listed.at("/data/0/environment") == "live");
  CHECK(listed.at("/data/1/externalId") == fixture.charge);
  CHECK(listed.at("/data/1/environment") == "sandbox");
  CHECK_FALSE(listed.has("/data/0/attempts/0"));
  const auto again = fixture.redeliver(id);
  CHECK(again.at("/data/externalId") == "pedido-1042");
  CHECK(again.at("/data/environment") == "live");
}

TEST_CASE("deliveries are listed newest first, and by status") {
  Fixture fixture;
  const auto first = fixture.deliver(fixture.channel, fixture.charge);
  const auto second =
      fixture.deliver(fixture.channel, create_charge(fixture.service, fixture.project.test_key));
  fixture.attempt(first, 500, DeliveryStatus::kExhausted);
  CHECK(fixture.list("?limit=1").at("/data/0/id") == second);
  CHECK(fixture.list("?limit=1&page=2").at("/data/0/id") == first);
  CHECK(fixture.list("?limit=1").at("/meta/total") == "2");
  CHECK(fixture.list("?status=exhausted").at("/data/0/id") == first);
  CHECK(fixture.list("?status=exhausted").at("/meta/total") == "1");
  CHECK(fixture.list("?status=delivered").at("/data") == "[]");
  CHECK(outcome_of(fixture.list("?status=done")) == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(fixture.list("?limit=0&status=x")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("the deliveries about one transaction are found among all of a channel's") {
  Fixture fixture;
  const auto other = create_charge(fixture.service, fixture.project.test_key);
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  fixture.attempt(fixture.deliver(fixture.channel, other), 200, DeliveryStatus::kDelivered);
  const auto of = [&](const std::string& charge, const std::string& more = "") {
    return fixture.list("?transactionId=" + charge + more);
  };
  const auto found = of(fixture.charge);
  CHECK(found.at("/data/0/id") == id);
  CHECK(found.at("/meta/total") == "1");
  CHECK_FALSE(found.has("/data/1"));
  CHECK(of(fixture.charge, "&status=pending").at("/data/0/id") == id);
  CHECK(of(fixture.charge, "&status=delivered").at("/meta/total") == "0");
  CHECK(of(other, "&status=delivered").at("/data/0/transactionId") == other);
  CHECK(of(fixture.charge, "&page=2").at("/data") == "[]");
  CHECK(of(fixture.charge, "&page=2").at("/meta/total") == "1");
  CHECK(of("cnobody0000000001").at("/meta/total") == "0");
  CHECK(of("x-1").at("/details/0/field") == "transactionId");
  const auto stranger = fixture.service.create_project();
  CHECK(of(create_charge(fixture.service, stranger.test_key)).at("/meta/total") == "0");
}

TEST_CASE("a channel's health is made from its last attempts") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  fixture.attempt(id, 500, DeliveryStatus::kPending);
  fixture.attempt(id, 500, DeliveryStatus::kPending);
  const auto failed_at = fixture.now();
  auto shown = fixture.get(fixture.channel);
  CHECK(shown.at("/data/health/status") == "failing");
  CHECK(shown.at("/data/health/consecutiveFailures") == "2");
  CHECK(shown.at("/data/health/lastFailureAt") == failed_at);
  CHECK(shown.at("/data/health/lastSuccessAt") == "null");
  CHECK(fixture.update(fixture.channel, "{}").at("/data/health") == shown.at("/data/health"));
  const auto repeatable =
      fixture.service.send("PATCH", kPath + "/" + fixture.channel, fixture.project.live_key,
                           R"({"name":"ERP"})", {{"Idempotency-Key", "change-1"}});
  CHECK(repeatable.at("/data/health/status") == "null");
  CHECK(repeatable.at("/data/health/consecutiveFailures") == "null");
  fixture.service.clock().advance_millis(1'000);
  fixture.attempt(id, 200, DeliveryStatus::kDelivered);
  shown = fixture.send("GET", kPath);
  CHECK(shown.at("/data/0/health/status") == "ok");
  CHECK(shown.at("/data/0/health/consecutiveFailures") == "0");
  CHECK(shown.at("/data/0/health/lastSuccessAt") == fixture.now());
  CHECK(shown.at("/data/0/health/lastFailureAt") == failed_at);
}

TEST_CASE("the deliveries of a worker's new database are shown, not those that were moved away") {
  Fixture fixture;
  fixture.attempt(fixture.deliver(fixture.channel, fixture.charge), 500, DeliveryStatus::kPending);
  CHECK(fixture.list().at("/meta/total") == "1");
  const auto directory = fixture.service.deliveries_file().parent_path();
  std::filesystem::rename(directory, directory.string() + ".away");
  CHECK(fixture.list().at("/meta/total") == "0");
  CHECK(fixture.get(fixture.channel).at("/data/health/consecutiveFailures") == "0");
  std::filesystem::create_directory(directory);
  const auto id = fixture.deliver(fixture.channel, create_charge(fixture.service, fixture.project.test_key));
  CHECK(fixture.list().at("/meta/total") == "1");
  CHECK(fixture.list().at("/data/0/id") == id);
}

TEST_CASE("a test is a delivery without a transaction, to an active or inactive channel") {
  Fixture fixture;
  const auto asked = [&] {
    const auto answer = fixture.test();
    CHECK(answer.status == 202);
    const auto now = fixture.now();
    CHECK(answer.body ==
          R"({"success":true,"data":{"id":")" + answer.at("/data/id") + R"(","channelId":")" +
              fixture.channel +
              R"(","event":"webhook.test","transactionId":null,"externalId":null,"environment":"live",)"
              R"("status":"pending","attempts":[],)"
              R"("nextAttemptAt":")" +
              now + R"(","createdAt":")" + now + R"("}})");
  };
  asked();
  CHECK(fixture.update(fixture.channel, R"({"isActive":false})").status == 200);
  asked();
  check_repeats(fixture.service, "POST", kPath + "/" + fixture.channel + "/test", fixture.project.live_key,
                "", asked);
}

TEST_CASE("a redelivery is requested, and a repeat gets the same answer") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  const auto created = fixture.now();
  fixture.attempt(id, 500, DeliveryStatus::kExhausted);
  fixture.service.clock().advance_millis(1'000);
  const auto now = fixture.now();
  const auto later = [&] { fixture.attempt(id, 200, DeliveryStatus::kDelivered); };
  const auto answer = check_repeats(fixture.service, "POST", "/api/v1/deliveries/" + id + "/redeliver",
                                    fixture.project.live_key, "", later);
  CHECK(answer.status == 202);
  CHECK(answer.at("/data/id") == id);
  CHECK(answer.at("/data/status") == "pending");
  CHECK(answer.at("/data/transactionId") == fixture.charge);
  CHECK(answer.at("/data/attempts/0/number") == "1");
  CHECK_FALSE(answer.has("/data/attempts/1"));
  CHECK(answer.at("/data/nextAttemptAt") == now);
  CHECK(answer.at("/data/createdAt") == created);

  CHECK(outcome_of(fixture.redeliver("x-1")) == "400 ERR_VALIDATION_001");
  const auto stranger = fixture.service.create_project();
  CHECK(outcome_of(fixture.service.send("POST", "/api/v1/deliveries/" + id + "/redeliver",
                                        stranger.live_key)) == "404 ERR_DELIVERY_001");
  fixture.update(fixture.channel, R"({"isActive":false})");
  CHECK(outcome_of(fixture.redeliver(id)) == "400 ERR_CHANNEL_003");
  fixture.remove(fixture.channel);
  CHECK(outcome_of(fixture.redeliver(id)) == "404 ERR_DELIVERY_001");
}

TEST_CASE("a recovery counts deliveries that were never made, were given up or are exhausted") {
  Fixture fixture;
  const auto charge = [&] { return create_charge(fixture.service, fixture.project.test_key); };
  fixture.deliver(fixture.channel, fixture.charge);  // pending
  fixture.attempt(fixture.deliver(fixture.channel, charge()), 200, DeliveryStatus::kDelivered);
  fixture.attempt(fixture.deliver(fixture.channel, charge()), 500, DeliveryStatus::kExhausted);
  fixture.attempt(fixture.deliver(fixture.channel, charge()), 410, DeliveryStatus::kFailed);
  charge();  // never made
  fixture.pass_over_events();
  const auto all = fixture.recover(fixture.since_ever());
  CHECK(all.status == 202);
  CHECK(all.body == R"({"success":true,"data":{"queued":3,"hastened":0}})");

  fixture.service.clock().advance_millis(60'000);
  const auto since = fixture.now();
  charge();
  fixture.pass_over_events();
  const auto window = [&](const std::string& from, const std::string& until) {
    return fixture.recover(R"({"since":")" + from + R"(","until":")" + until + R"("})").at("/data/queued");
  };
  CHECK(window(since, since) == "1");
  CHECK(window("2020-01-01T00:00:00Z", since) == "4");
  CHECK(window("2020-01-01", since) == "4");
  CHECK(window("2020-01-01", since.substr(0, 10)) == "4");
  CHECK(window("2020-01-01", "2020-01-01") == "0");
  CHECK(window("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z") == "0");
  CHECK(window("2090-01-01T00:00:00Z", "2090-01-02T00:00:00Z") == "0");
}

TEST_CASE("a recovery counts pending deliveries whose retry it brings forward") {
  Fixture fixture;
  const auto charge = [&] { return create_charge(fixture.service, fixture.project.test_key); };
  fixture.attempt(fixture.deliver(fixture.channel, fixture.charge), 500, DeliveryStatus::kPending);
  fixture.attempt(fixture.deliver(fixture.channel, charge()), 500, DeliveryStatus::kPending);
  fixture.deliver(fixture.channel, charge());  // due already
  fixture.pass_over_events();
  const auto recovery = fixture.recover(fixture.since_ever());
  CHECK(recovery.body == R"({"success":true,"data":{"queued":0,"hastened":2}})");
  CHECK(fixture.recover(R"({"since":"2090-01-01T00:00:00Z"})").at("/data/hastened") == "0");
}

TEST_CASE("a dry run counts a recovery without requesting it") {
  Fixture fixture;
  const auto id = fixture.deliver(fixture.channel, fixture.charge);
  fixture.attempt(id, 500, DeliveryStatus::kExhausted);
  fixture.attempt(fixture.deliver(fixture.channel, create_charge(fixture.service, fixture.project.test_key)),
                  500, DeliveryStatus::kPending);
  fixture.pass_over_events();
  const std::string dry = R"({"since":"2020-01-01T00:00:00Z","dryRun":true})";
  const auto before = fixture.service.log().head();
  const auto counted = fixture.recover(dry);
  CHECK(counted.status == 200);
  CHECK(counted.body == R"({"success":true,"data":{"queued":1,"hastened":1}})");
  CHECK(fixture.recover(R"({"since":"2090-01-01","dryRun":true})").at("/data/queued") == "0");
  CHECK(fixture.service.log().head() == before);
  CHECK(fixture.recover(R"({"since":"2020-01-01T00:00:00Z","dryRun":false})").body == counted.body);
  CHECK_FALSE(fixture.service.log().head() == before);
  CHECK(fixture.recover(R"({"since":"2020-01-01T00:00:00Z","dryRun":"yes"})").at("/details/0/field") ==
        "dryRun");
  const auto stranger = fixture.service.create_project();
  const auto path = kPath + "/" + fixture.channel + "/recover";
  CHECK(outcome_of(fixture.service.send("POST", path, stranger.live_key, dry)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.service.send("POST", path, fixture.project.test_key, dry)) == "403 ERR_AUTH_010");
  fixture.update(fixture.channel, R"({"isActive":false})");
  CHECK(outcome_of(fixture.recover(dry)) == "400 ERR_CHANNEL_003");
}

TEST_CASE("a read-only caller may count what a recovery would send, but may not recover") {
  Fixture fixture;
  const std::string dry = R"({"since":"2020-01-01T00:00:00Z","dryRun":true})";
  const auto path = kPath + "/" + fixture.channel + "/recover";
  const auto reading = fixture.service.issue_key(fixture.project.id, domain::Environment::kLive,
                                                 domain::ScopeSet::parse("channels:read").value());
  const auto viewer = sign_in(fixture.service, fixture.project.id, domain::Role::kViewer);
  CHECK(outcome_of(fixture.service.send("POST", path, reading, dry)) == "200");
  CHECK(outcome_of(send_as(fixture.service, viewer, "POST", path, dry)) == "200");
  CHECK(outcome_of(fixture.service.send("POST", path, reading, fixture.since_ever())) == "403 ERR_AUTH_010");
  CHECK(outcome_of(send_as(fixture.service, viewer, "POST", path, fixture.since_ever())) ==
        "403 ERR_AUTH_012");
}

TEST_CASE("a recovery does not count events that the worker has not reached yet") {
  Fixture fixture;
  fixture.attempt(fixture.deliver(fixture.channel, fixture.charge), 500, DeliveryStatus::kExhausted);
  create_charge(fixture.service, fixture.project.test_key);
  CHECK(fixture.recover(fixture.since_ever()).at("/data/queued") == "1");
  fixture.pass_over_events();
  CHECK(fixture.recover(fixture.since_ever()).at("/data/queued") == "2");
}

TEST_CASE("a recovery is for the channel's own kinds of events, since its creation") {
  Fixture fixture;
  fixture.service.clock().advance_millis(1);
  fixture.channel =
      fixture.add(R"({"url":"https://shop.example/","events":["transaction.paid"]})").at("/data/id");
  const auto second = create_charge(fixture.service, fixture.project.test_key);
  fixture.service.send("POST", "/api/sandbox/transactions/" + second + "/pay", fixture.project.test_key);
  create_charge(fixture.service, fixture.service.create_project().test_key);
  CHECK(fixture.recover(fixture.since_ever()).at("/data/queued") == "1");
}

TEST_CASE("an invalid recovery is refused, and a repeat gets the same answer") {
  Fixture fixture;
  for (const auto* body : {"", "{}", R"({"since":"yesterday"})", R"({"since":1})",
                           R"({"since":"2026-02-01T00:00:00Z","until":"2026-01-01T00:00:00Z"})"}) {
    INFO(body);
    CHECK(outcome_of(fixture.recover(body)) == "400 ERR_VALIDATION_001");
  }
  const auto later = [&] { create_charge(fixture.service, fixture.project.test_key); };
  const auto answer = check_repeats(fixture.service, "POST", kPath + "/" + fixture.channel + "/recover",
                                    fixture.project.live_key, fixture.since_ever(), later);
  CHECK(answer.at("/data/queued") == "1");
  fixture.update(fixture.channel, R"({"isActive":false})");
  CHECK(outcome_of(fixture.recover(fixture.since_ever())) == "400 ERR_CHANNEL_003");
  fixture.remove(fixture.channel);
  CHECK(outcome_of(fixture.recover(fixture.since_ever())) == "404 ERR_CHANNEL_001");
}

}  // namespace pixledger::tests
