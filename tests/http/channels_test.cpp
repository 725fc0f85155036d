#include "stores/deliveries/channels.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/channel_service.h"

namespace pixledger::tests {
namespace {

const std::string kPath = ChannelService::kPath;
const std::string kAllEvents =
    R"(["transaction.created","transaction.paid","transaction.expired","transaction.refunded",)"
    R"("transaction.cancelled","transaction.failed"])";

std::string now_of(ChannelService& fixture) { return to_iso8601(fixture.service.clock().now()); }

}  // namespace

TEST_CASE("a channel starts active, on v2, with the standard kinds, and its secret is shown once") {
  ChannelService fixture;
  const auto added = fixture.add();
  INFO(added.body);
  REQUIRE(added.status == 201);
  const auto id = added.at("/data/id");
  const auto secret = added.at("/data/secret");
  CHECK(secret == stores::open_channel_secret(parsed<domain::ChannelId>(id), fixture.state_of(id).secret,
                                              fixture.service.keyring()));
  const auto now = now_of(fixture);
  const auto record =
      R"({"id":")" + id + R"(","name":null,"url":"https://shop.example/hooks","events":)" + kAllEvents +
      R"(,"environments":["live","sandbox"],"isActive":true,"webhookApiVersion":"v2","secretHint":")" +
      secret.substr(secret.size() - 4) +
      R"(","health":{"status":"ok","consecutiveFailures":0,"lastSuccessAt":null,"lastFailureAt":null,)"
      R"("disabledReason":null},"createdAt":")" +
      now + R"(","updatedAt":")" + now + R"(")";
  CHECK(added.body == R"({"success":true,"data":)" + record + R"(,"secret":")" + secret + R"("}})");
  CHECK(added.headers.at("Location") == kPath + "/" + id);
  CHECK(fixture.get(id).body == R"({"success":true,"data":)" + record + "}}");
  CHECK(fixture.send("GET", kPath).body ==
        R"({"success":true,"data":[)" + record +
            R"(}],"meta":{"total":1,"page":1,"limit":10,"totalPages":1}})");
}

TEST_CASE("a channel has the settings of its body") {
  ChannelService fixture;
  const auto added = fixture.add(
      R"({"name":"ERP","url":"https://other.example:8443/a?b=c","events":["transaction.paid","transaction.created",)"
      R"("transaction.paid"],"webhookApiVersion":"v2"})");
  REQUIRE(outcome_of(added) == "201");
  CHECK(added.at("/data/name") == "ERP");
  CHECK(added.at("/data/url") == "https://other.example:8443/a?b=c");
  CHECK(added.at("/data/events") == R"(["transaction.created","transaction.paid"])");
  const auto nulls =
      fixture.add(R"({"name":null,"url":"https://shop.example","events":null,"webhookApiVersion":null})");
  CHECK(nulls.at("/data/events") == kAllEvents);
}

TEST_CASE("a channel gets further kinds if it names them and is on v2") {
  ChannelService fixture;
  const auto added =
      fixture.add(R"({"url":"https://shop.example","events":["store.changed","payment.settled"]})");
  REQUIRE(outcome_of(added) == "201");
  CHECK(added.at("/data/events") == R"(["payment.settled","store.changed"])");

  auto legacy = sample_channel(2);
  legacy.project = fixture.project.id;
  legacy.version = domain::WebhookVersion::kV1;
  fixture.service.execute(legacy);
  const auto change = [&](const std::string& rest) {
    return fixture.update(legacy.id.text(), R"({"events":["transaction.partially_refunded"])" + rest + "}");
  };
  const auto refused = change("");
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "events");
  CHECK(outcome_of(change(R"(,"webhookApiVersion":"v2")")) == "200");
}

TEST_CASE("every violation of a channel's body is listed") {
  ChannelService fixture;
  const auto refused = fixture.add(
      R"({"name":"","url":"https://inside.example","events":["transaction.paid","paid"],"webhookApiVersion":"v1"})");
  CHECK(refused.at("/code") == "ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "name");
  CHECK(refused.at("/details/1/field") == "events");
  CHECK(refused.at("/details/2/field") == "webhookApiVersion");
  CHECK(refused.at("/details/2/reason") == "must be v2");
  CHECK(refused.at("/details/3/field") == "url");
  for (const auto* body :
       {R"({"url":"https://shop.example","events":[]})",
        R"({"url":"https://shop.example","events":"transaction.paid"})",
        R"({"url":"https://shop.example","events":[1]})",
        R"({"url":"https://shop.example","events":["transaction.paid,transaction.created"]})",
        R"({"url":"https://shop.example","webhookApiVersion":"v3"})", R"({"url":7})", R"({})", R"([])"}) {
    INFO(body);
    CHECK(outcome_of(fixture.add(body)) == "400 ERR_VALIDATION_001");
  }
  CHECK(outcome_of(fixture.get("x-1")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a target that is not public is refused, when a channel is added and when it changes") {
  ChannelService fixture;
  const auto id = fixture.add_one();
  for (const auto* url : {"http://shop.example/", "https://inside.example/", "https://unknown.example/",
                          "https://127.0.0.1/", "https://[::ffff:127.0.0.1]/", "https://2130706433/",
                          "https://0x7f.1/", "https://user@shop.example/", "https://shop.example/#part",
                          "https://169.254.169.254/latest", "ftp://shop.example/", "shop.example"}) {
    INFO(url);
    const auto body = std::string(R"({"url":")") + url + R"("})";
    const auto refused = fixture.add(body);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "url");
    CHECK(outcome_of(fixture.update(id, body)) == "400 ERR_VALIDATION_001");
  }
  CHECK(fixture.get(id).at("/data/url") == "https://shop.example/hooks");
  CHECK(fixture.send("GET", kPath).at("/meta/total") == "1");
}

TEST_CASE("an operator opens ranges and http for development") {
  TestServiceOptions options;
  options.targets = {true, {parsed<Cidr>("127.0.0.0/8")}};
  TestService service(options);
  const auto project = service.create_project();
  const auto add = [&](const std::string& url) {
    return outcome_of(service.send("POST", kPath, project.test_key, R"({"url":")" + url + R"("})"));
  };
  CHECK(add("http://127.0.0.1:9099/hooks") == "201");
  CHECK(add("http://10.0.0.1/") == "400 ERR_VALIDATION_001");
}

TEST_CASE("test keys and live keys have separate limits of channels") {
  ChannelService fixture;
  const auto send = [&](const std::string& method, const std::string& path, const std::string& key,
                        const std::string& body) { return fixture.service.send(method, path, key, body); };
  const auto& test_key = fixture.project.test_key;
  const auto& live_key = fixture.project.live_key;
  const std::string body = R"({"url":"https://shop.example/hooks"})";
  std::string of_sandbox;
  for (int i = 0; i < 10; ++i) of_sandbox = send("POST", kPath, test_key, body).at("/data/id");
  CHECK(outcome_of(send("POST", kPath, test_key, body)) == "400 ERR_CHANNEL_002");
  for (int i = 0; i < 10; ++i) CHECK(outcome_of(send("POST", kPath, live_key, body)) == "201");
  CHECK(outcome_of(send("POST", kPath, live_key, body)) == "400 ERR_CHANNEL_002");
  const auto moved = send("PATCH", kPath + "/" + of_sandbox, live_key, R"({"environments":["live"]})");
  CHECK(outcome_of(moved) == "400 ERR_CHANNEL_002");
  CHECK(fixture.send("GET", kPath).at("/meta/total") == "20");
}

TEST_CASE("an eleventh channel is refused, and a deleted one makes room") {
  ChannelService fixture;
  const auto first = fixture.add_one();
  for (int i = 1; i < 10; ++i) fixture.add_one();
  CHECK(outcome_of(fixture.add()) == "400 ERR_CHANNEL_002");
  const auto shown = fixture.get(first);
  const auto removed = fixture.remove(first);
  CHECK(removed.status == 200);
  CHECK(removed.body == shown.body);
  CHECK(outcome_of(fixture.get(first)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.remove(first)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.update(first, "{}")) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.add()) == "201");
  CHECK(outcome_of(fixture.add()) == "400 ERR_CHANNEL_002");
}

TEST_CASE("channels are listed newest first, page by page") {
  ChannelService fixture;
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(fixture.add_one());
    fixture.service.clock().advance_millis(1);
  }
  const auto page = fixture.send("GET", kPath + "?limit=2");
  CHECK(page.at("/data/0/id") == ids[2]);
  CHECK(page.at("/data/1/id") == ids[1]);
  CHECK(page.at("/meta") == R"({"total":3,"page":1,"limit":2,"totalPages":2})");
  CHECK(fixture.send("GET", kPath + "?limit=2&page=2").at("/data/0/id") == ids[0]);
  CHECK(outcome_of(fixture.send("GET", kPath + "?limit=101")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a change of a channel changes only the fields it names") {
  ChannelService fixture;
  const auto id = fixture.add_one();
  fixture.service.clock().advance_millis(1'000);
  const auto changed =
      fixture.update(id, R"({"name":"ERP","url":"https://other.example/","events":["transaction.paid"]})");
  REQUIRE(outcome_of(changed) == "200");
  CHECK(changed.at("/data/name") == "ERP");
  CHECK(changed.at("/data/url") == "https://other.example/");
  CHECK(changed.at("/data/events") == R"(["transaction.paid"])");
  CHECK(changed.at("/data/updatedAt") == now_of(fixture));
  CHECK_FALSE(changed.has("/data/secret"));
  const auto before = fixture.service.log().head();
  const auto same = fixture.update(id, R"({"name":null,"isActive":true,"webhookApiVersion":"v2"})");
  CHECK(same.body == changed.body);
  CHECK(fixture.service.log().head() == before);
  for (const auto* body : {R"({"isActive":1})", R"({"webhookApiVersion":"v1"})", R"({"events":[]})", ""})
    CHECK(outcome_of(fixture.update(id, body)) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a channel of the legacy version moves to v2") {
  ChannelService fixture;
  auto legacy = sample_channel();
  legacy.project = fixture.project.id;
  legacy.version = domain::WebhookVersion::kV1;
  fixture.service.execute(legacy);
  const auto id = legacy.id.text();
  CHECK(fixture.get(id).at("/data/webhookApiVersion") == "v1");
  CHECK(fixture.update(id, "{}").at("/data/webhookApiVersion") == "v1");
  CHECK(fixture.update(id, R"({"webhookApiVersion":"v2"})").at("/data/webhookApiVersion") == "v2");
  CHECK(fixture.get(id).at("/data/webhookApiVersion") == "v2");
}

TEST_CASE("a disabled channel shows the reason, until it is set active again") {
  ChannelService fixture;
  const auto id = fixture.add_one();
  fixture.disable(id, domain::ChannelDisabledReason::kGone);
  const auto disabled = fixture.get(id);
  CHECK(disabled.at("/data/isActive") == "false");
  CHECK(disabled.at("/data/health/status") == "disabled");
  CHECK(disabled.at("/data/health/disabledReason") == "gone");
  const auto active = fixture.update(id, R"({"isActive":true})");
  CHECK(active.at("/data/health/status") == "ok");
  CHECK(active.at("/data/health/disabledReason") == "null");
  CHECK(fixture.update(id, R"({"isActive":false})").at("/data/health/status") == "disabled");
  CHECK(fixture.get(id).at("/data/health/disabledReason") == "null");
}

TEST_CASE("a rotated secret is shown once, and the old one is kept for the grace") {
  ChannelService fixture;
  const auto added = fixture.add();
  const auto id = added.at("/data/id");
  const auto rotate = [&](const std::string& body) {
    return fixture.send("POST", kPath + "/" + id + "/rotate-secret", body);
  };
  const auto rotated = rotate("");
  REQUIRE(outcome_of(rotated) == "200");
  const auto secret = rotated.at("/data/secret");
  CHECK(secret != added.at("/data/secret"));
  CHECK(rotated.at("/data/secretHint") == secret.substr(secret.size() - 4));
  CHECK_FALSE(fixture.get(id).has("/data/secret"));
  const auto now = fixture.service.clock().now();
  const auto opened = [&](const domain::SealedSecret& sealed) {
    return stores::open_channel_secret(parsed<domain::ChannelId>(id), sealed, fixture.service.keyring());
  };
  auto channel = fixture.state_of(id);
  CHECK(opened(channel.secret) == secret);
  REQUIRE(channel.retiring_secrets.size() == 1);
  CHECK(opened(channel.retiring_secrets.front().secret) == added.at("/data/secret"));
  CHECK(channel.retiring_secrets.front().until == now.plus_millis(86'400'000));
  CHECK(rotated.at("/data/graceEndsAt") == to_iso8601(now.plus_millis(86'400'000)));
  CHECK_FALSE(fixture.get(id).has("/data/graceEndsAt"));
  CHECK_FALSE(added.has("/data/graceEndsAt"));
  CHECK(outcome_of(rotate(R"({"graceSeconds":604800})")) == "200");
  CHECK(outcome_of(rotate(R"({"graceSeconds":0})")) == "200");
  CHECK(fixture.state_of(id).retiring_secrets.empty());
  for (const auto* body : {R"({"graceSeconds":-1})", R"({"graceSeconds":604801})", R"({"graceSeconds":"1"})"})
    CHECK(rotate(body).at("/details/0/field") == "graceSeconds");
}

TEST_CASE("a repeat shows the same secret again, whatever its host resolves to by then") {
  ChannelService fixture;
  const auto names = fixture.resolver;
  const auto forget_names = [&] { fixture.resolver = FakeResolver(); };
  const auto added = check_repeats(fixture.service, "POST", kPath, fixture.project.live_key,
                                   R"({"url":"https://shop.example/","name":"ERP"})", forget_names);
  CHECK(added.status == 201);
  CHECK(added.has("/data/secret"));

  fixture.resolver = names;
  const auto path = kPath + "/" + added.at("/data/id");
  const auto change_again = [&] {
    fixture.resolver = FakeResolver();
    CHECK(fixture.send("PATCH", path, R"({"name":"later"})").status == 200);
    CHECK(fixture.send("POST", path + "/rotate-secret").status == 200);
  };
  const auto changed = check_repeats(fixture.service, "PATCH", path, fixture.project.live_key,
                                     R"({"url":"https://shop.example/b"})", change_again);
  CHECK(changed.at("/data/url") == "https://shop.example/b");
  const auto rotated = check_repeats(fixture.service, "POST", path + "/rotate-secret",
                                     fixture.project.live_key, R"({"graceSeconds":60})", change_again);
  CHECK(rotated.has("/data/secret"));
}

TEST_CASE("a project's channels are its own, and have a scope of their own") {
  ChannelService fixture;
  auto& service = fixture.service;
  const auto id = fixture.add_one();
  const auto stranger = service.create_project();
  const auto path = kPath + "/" + id;
  CHECK(service.send("GET", kPath, stranger.live_key).at("/meta/total") == "0");
  CHECK(outcome_of(service.send("GET", path, stranger.live_key)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(service.send("PATCH", path, stranger.live_key, "{}")) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(service.send("DELETE", path, stranger.live_key)) == "404 ERR_CHANNEL_001");
  for (const auto* operation : {"/rotate-secret", "/test"})
    CHECK(outcome_of(service.send("POST", path + operation, stranger.live_key)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(service.send("GET", path + "/deliveries", stranger.live_key)) == "404 ERR_CHANNEL_001");

  const auto reader = service.issue_key(fixture.project.id, domain::Environment::kLive,
                                        *domain::ScopeSet::parse("channels:read"));
  CHECK(outcome_of(service.send("GET", path, reader)) == "200");
  CHECK(outcome_of(service.send("DELETE", path, reader)) == "403 ERR_AUTH_010");
}

TEST_CASE("a test key has channels of the sandbox only, and sees no others") {
  ChannelService fixture;
  auto& service = fixture.service;
  const auto& key = fixture.project.test_key;
  const auto of_all = fixture.add_one();
  const auto path = kPath + "/" + of_all;
  CHECK(service.send("GET", kPath, key).at("/meta/total") == "0");
  CHECK(outcome_of(service.send("GET", path, key)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("PATCH", path, key, "{}")) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("DELETE", path, key)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("GET", path + "/deliveries", key)) == "403 ERR_AUTH_010");
  for (const std::string operation : {"/rotate-secret", "/test"})
    CHECK(outcome_of(service.send("POST", path + operation, key)) == "403 ERR_AUTH_010");

  const auto own = service.send("POST", kPath, key, R"({"url":"https://shop.example/"})");
  CHECK(own.at("/data/environments") == R"(["sandbox"])");
  CHECK(service.send("GET", kPath, key).at("/data/0/id") == own.at("/data/id"));
  CHECK(fixture.send("GET", kPath).at("/meta/total") == "2");
  const auto own_path = kPath + "/" + own.at("/data/id");
  CHECK(service.send("GET", own_path, key).status == 200);
  CHECK(outcome_of(service.send("PATCH", own_path, key, R"({"environments":["live"]})")) ==
        "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("POST", kPath, key,
                                R"({"url":"https://shop.example/","environments":["live","sandbox"]})")) ==
        "403 ERR_AUTH_010");
}

TEST_CASE("a channel gets the requested environments") {
  ChannelService fixture;
  CHECK(fixture.add().at("/data/environments") == R"(["live","sandbox"])");
  const auto added = fixture.add(R"({"url":"https://shop.example/","environments":["live"]})");
  CHECK(added.at("/data/environments") == R"(["live"])");
  const auto id = added.at("/data/id");
  CHECK(fixture.update(id, R"({"environments":["sandbox"]})").at("/data/environments") == R"(["sandbox"])");
  CHECK(fixture.state_of(id).environments == domain::EnvironmentSet::only(domain::Environment::kSandbox));
  CHECK(fixture.update(id, R"({"name":"ERP"})").at("/data/environments") == R"(["sandbox"])");
  // Some of its deliveries may be of live charges.
  CHECK(outcome_of(fixture.service.send("GET", kPath + "/" + id, fixture.project.test_key)) ==
        "403 ERR_AUTH_010");
  for (const std::string environments : {"[]", R"(["test"])", R"("live")", R"(["live",1])"}) {
    INFO(environments);
    const auto refused = fixture.update(id, R"({"environments":)" + environments + "}");
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "environments");
  }
}

TEST_CASE("a test key is not given the answers to live keys under the same idempotency key") {
  ChannelService fixture;
  auto& service = fixture.service;
  const auto send = [&](const std::string& key) {
    return service.send("POST", kPath, key, R"({"url":"https://shop.example/"})",
                        {{"Idempotency-Key", "channel-1"}});
  };
  const auto of_all = send(fixture.project.live_key);
  const auto own = send(fixture.project.test_key);
  CHECK(own.status == 201);
  CHECK(own.at("/data/id") != of_all.at("/data/id"));
  CHECK(own.at("/data/secret") != of_all.at("/data/secret"));
  CHECK(send(fixture.project.test_key).body == own.body);
  CHECK(send(fixture.project.live_key).body == of_all.body);
}

TEST_CASE("the catalogue names every event") {
  ChannelService fixture;
  const auto catalogue = fixture.send("GET", kPath + "/events");
  REQUIRE(outcome_of(catalogue) == "200");
  for (unsigned i = 0; i < domain::kWebhookEventCount; ++i) {
    const auto entry = "/data/" + std::to_string(i);
    CHECK(catalogue.at(entry + "/event") == domain::to_string(static_cast<domain::WebhookEvent>(i)));
    CHECK_FALSE(catalogue.at(entry + "/description").empty());
  }
  CHECK_FALSE(catalogue.has("/data/" + std::to_string(domain::kWebhookEventCount)));
}

}  // namespace pixledger::tests
