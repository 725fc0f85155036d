#include <catch2/catch.hpp>
#include <future>
#include <set>
#include <thread>

#include "eventstore/keys/tokens.h"
#include "http/dispatch/subscriptions.h"
#include "tests/http/feed/feed_pages.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/raw_http.h"

namespace {

using namespace pixledger;
using namespace pixledger::tests;
using http::Subscriptions;

domain::ScopeSet scopes(const char* text) { return domain::ScopeSet::parse(text).value(); }

}  // namespace

TEST_CASE("the feed has the project's own events, in order and without a gap") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  std::set<std::string> mine;
  for (int i = 0; i < 20; ++i) {
    mine.insert(create_charge(service, project.test_key));
    create_charge(service, other.test_key);
  }
  for (const unsigned limit : {1U, 7U, 1000U}) {
    const auto items = read_all(service, project.live_key, limit);
    // A project, two keys, a customer and twenty charges.
    REQUIRE(items.size() == 24);
    CHECK(items[0].event == "store.created");
    CHECK(items[1].event == "api_key.issued");
    CHECK(items[3].event == "customer.created");
    std::set<std::string> seen;
    for (const auto& item : items) {
      if (item.event == "transaction.created") seen.insert(item.transaction);
    }
    CHECK(seen == mine);
  }
}

TEST_CASE("an item names its aggregate and its data") {
  TestService service;
  const auto project = service.create_project();
  const auto charge = create_charge(service, project.test_key);
  const auto after = page_of(ask(service, project.test_key)).next;
  const auto customer = customer_of(service, project.test_key, charge);
  service.send("POST", "/api/sandbox/transactions/" + charge + "/pay", project.test_key);
  const auto refund = "/api/v1/transactions/" + charge + "/refund";
  service.send("POST", refund, project.test_key, R"({"amountCents":90,"reason":"asked for"})");
  service.send("POST", refund, project.test_key, "{}");
  service.send("POST", "/api/v1/customers/" + customer + "/block", project.test_key,
               R"({"blockType":"fraud","reason":"chargeback"})");
  service.send("POST", "/api/v1/transactions", project.test_key, creation_body());

  const auto answer = ask(service, project.test_key, "?after=" + after);
  CHECK(names(page_of(answer).items) ==
        std::vector<std::string>{"transaction.paid", "transaction.partially_refunded", "transaction.refunded",
                                 "customer.blocked", "transaction.refused"});
  for (const std::string item : {"/data/0", "/data/1", "/data/2"}) {
    CHECK(answer.at(item + "/transactionId") == charge);
    CHECK(answer.at(item + "/customerId") == customer);
  }
  CHECK(answer.at("/data/0/data/amountCents") == "1990");
  CHECK(answer.at("/data/0/data/feeCents") == "null");
  CHECK(answer.at("/data/0/occurredAt") == to_iso8601(service.clock().now()));
  CHECK(answer.at("/data/1/data/amountCents") == "90");
  CHECK(answer.at("/data/1/data/reason") == "asked for");
  CHECK(answer.at("/data/2/data/refundedAmountCents") == "1990");
  CHECK(answer.at("/data/3/transactionId") == "null");
  CHECK(answer.at("/data/3/customerId") == customer);
  CHECK(answer.at("/data/3/data/blockType") == "fraud");
  CHECK(answer.at("/data/4/customerId") == customer);
  CHECK(answer.at("/data/4/data/fraudType") != "");
}

TEST_CASE("the feed names the session of a channel that is in no list") {
  TestService service;
  const auto project = service.create_project();
  auto session = sample_checkout();
  session.project = project.id;
  session.channel = domain::CheckoutChannel{"https://erp.example.com/hook", {"sealed"}, "k9Qz"};
  service.execute(session);
  const auto body = ask(service, project.live_key).body;
  INFO(body);
  const auto added = R"("environments":"sandbox","checkoutSessionId":")" + sample_checkout_id().text() + '"';
  CHECK(body.find(added) != std::string::npos);
}

TEST_CASE("no secret and no key's hash is in the feed") {
  TestService service;
  const auto project = service.create_project();
  service.execute(domain::AddChannel{*domain::ChannelId::parse("cchannel0001"), project.id,
                                     domain::Label::parse("ERP"), "https://erp.example.com/hook",
                                     domain::WebhookEventSet::standard(), domain::WebhookVersion::kV2,
                                     domain::SealedSecret{"sealed-bytes"}, "k9Qz"});
  const auto body = ask(service, project.live_key).body;
  CHECK(body.find("channel.added") != std::string::npos);
  CHECK(body.find("sealed-bytes") == std::string::npos);
  CHECK(body.find("k9Qz") == std::string::npos);
  for (const auto& key : {project.live_key, project.test_key}) {
    CHECK(body.find(key) == std::string::npos);
    CHECK(body.find(to_hex(sha256(key))) == std::string::npos);
  }
}

TEST_CASE("the feed has every event of a channel") {
  ChannelService fixture;
  const auto after = page_of(ask(fixture.service, fixture.project.live_key)).next;
  const auto id = fixture.add_one();
  const auto path = ChannelService::kPath + "/" + id;
  fixture.update(id, R"({"name":"ERP"})");
  fixture.send("POST", path + "/rotate-secret", "{}");
  fixture.send("POST", path + "/test");
  fixture.disable(id, domain::ChannelDisabledReason::kGone);
  fixture.remove(id);
  const auto answer = ask(fixture.service, fixture.project.live_key, "?after=" + after);
  CHECK(names(page_of(answer).items) ==
        std::vector<std::string>{"channel.added", "channel.changed", "channel.secret_rotated",
                                 "channel.test_requested", "channel.disabled", "channel.deleted"});
  for (int item = 0; item < 6; ++item)
    CHECK(answer.at("/data/" + std::to_string(item) + "/data/channelId") == id);
  CHECK(answer.at("/data/1/data/name") == "ERP");
  CHECK(answer.at("/data/4/data/reason") == "gone");
}

TEST_CASE("a test key sees the events of the sandbox and no others") {
  TestService service;
  const auto project = service.create_project();
  const auto sandbox = create_charge(service, project.test_key);
  create_charge(service, project.live_key);
  service.send("POST", "/api/sandbox/transactions/" + sandbox + "/pay", project.test_key);
  service.send("POST", "/api/v1/blocklist", project.test_key, R"({"type":"ip","value":"192.0.2.1"})");
  service.send("POST", "/api/v1/blocklist", project.live_key, R"({"type":"ip","value":"192.0.2.2"})");
  const auto items = read_all(service, project.test_key, 1);
  CHECK(names(items) == std::vector<std::string>{"customer.created", "transaction.created",
                                                 "transaction.paid", "blocklist.added"});
  const auto all = ask(service, project.live_key);
  for (const auto& [item, event, environment] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"/data/0", "store.created", "null"},
           {"/data/3", "customer.created", "sandbox"},
           {"/data/4", "transaction.created", "sandbox"},
           {"/data/5", "customer.created", "live"},
           {"/data/6", "transaction.created", "live"},
           {"/data/9", "blocklist.added", "live"}}) {
    CHECK(all.at(item + "/event") == event);
    CHECK(all.at(item + "/environment") == environment);
  }
}

TEST_CASE("the feed needs its scope") {
  TestService service;
  const auto project = service.create_project();
  const auto key = [&](const char* scope) {
    return service.issue_key(project.id, domain::Environment::kLive, scopes(scope));
  };
  CHECK(ask(service, key("events:read")).status == 200);
  CHECK(ask(service, key("events:write")).status == 200);
  CHECK(outcome_of(ask(service, key("transactions:write"))) == "403 ERR_AUTH_010");
}

TEST_CASE("parameters of the feed are checked, all at once") {
  TestService service;
  const auto project = service.create_project();
  const auto answer = ask(service, project.test_key, "?after=x&limit=1001&wait=31");
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  CHECK(answer.has("/details/2/field"));
  for (const char* query : {"?limit=0", "?limit=x", "?wait=-1", "?wait=1.5"})
    CHECK(ask(service, project.test_key, query).status == 400);
  CHECK(ask(service, project.test_key, "?limit=1000&wait=0&after=").status == 200);
}

TEST_CASE("the feed is the same after the read models are rebuilt") {
  TestService service;
  const auto project = service.create_project();
  for (int i = 0; i < 5; ++i) create_charge(service, project.test_key);
  const auto before = ask(service, project.test_key).body;
  service.restart(TestService::Lost::kViews);
  CHECK(ask(service, project.test_key).body == before);
}

TEST_CASE("a waiting call is answered as soon as there is an event, but not by another project's") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto after = page_of(ask(service, project.test_key)).next;
  auto waiting = std::async(std::launch::async,
                            [&] { return ask(service, project.test_key, "?wait=30&after=" + after); });
  for (int i = 0; i < 20; ++i) create_charge(service, other.test_key);
  CHECK(waiting.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  const auto charge = create_charge(service, project.test_key);
  const auto page = page_of(waiting.get());
  REQUIRE_FALSE(page.items.empty());
  CHECK(page.items.front().event == "customer.created");
  CHECK(page.items.back().transaction == charge);
}

TEST_CASE("a call that waits in vain gets an empty page and the cursor to go on from") {
  TestService service;
  const auto project = service.create_project();
  const auto after = page_of(ask(service, project.test_key)).next;
  const auto page = page_of(ask(service, project.test_key, "?wait=1&after=" + after));
  CHECK(page.items.empty());
  CHECK(page.next == after);
}

TEST_CASE(
    "the waiting calls of a project are limited, those of its test keys to half, and further ones must "
    "retry") {
  TestServiceOptions options;
  options.server.max_connections_per_address = 0;
  TestService service(options);
  const auto project = service.create_project();
  // After all events that any of these keys sees.
  const auto after = page_of(ask(service, project.live_key)).next;
  std::vector<std::unique_ptr<tests::RawConnection>> connections;
  const auto wait = [&](const std::string& key, std::size_t until) {
    while (connections.size() < until) {
      connections.push_back(std::make_unique<tests::RawConnection>(service.port()));
      connections.back()->send("GET /api/v1/events?wait=30&after=" + after +
                               " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n\r\n");
      // Each runs on the pool before it waits, and one project has only a part of the pool.
      if (connections.size() % 64 == 0 || connections.size() == until)
        while (tests::metric(service.metrics(), "pixledger_http_long_polls") < double(connections.size()))
          std::this_thread::yield();
    }
  };
  const auto is_told_to_come_back = [&](const std::string& key) {
    const auto refused = ask(service, key, "?wait=1&after=" + after);
    CHECK(refused.headers.count("Retry-After") == 1);
    return tests::outcome_of(refused) == "503 ERR_HTTP_503";
  };
  wait(project.test_key, Subscriptions::kOfTestKeysMax);
  CHECK(is_told_to_come_back(project.test_key));
  wait(project.live_key, Subscriptions::kOfProjectMax);
  CHECK(is_told_to_come_back(project.live_key));
  // Another project may wait, and calls that need not wait are served.
  const auto other = service.create_project();
  const auto its_head = page_of(ask(service, other.test_key)).next;
  CHECK(ask(service, other.test_key, "?wait=1&after=" + its_head).status == 200);
  CHECK(ask(service, project.test_key, "?after=" + after).status == 200);
  CHECK(ask(service, project.live_key, "?wait=30").status == 200);
  // A stopping server answers all waiting calls.
  service.restart();
  for (auto& connection : connections) CHECK(connection->read_reply().status == 200);
}

TEST_CASE("a waiting call whose key is revoked gets no later events") {
  TestService service;
  const auto project = service.create_project();
  const auto key = service.issue_key(project.id, domain::Environment::kLive, domain::ScopeSet::all());
  RawConnection waiting(service.port());
  waiting.send("GET /api/v1/events?wait=30&after=" + page_of(ask(service, key)).next +
               " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n\r\n");
  while (metric(service.metrics(), "pixledger_http_long_polls") != 1) std::this_thread::yield();
  service.execute(domain::RevokeApiKey{domain::ApiKeyId::parse(eventstore::api_key_id(sha256(key))).value()});
  create_charge(service, project.test_key);
  const auto refused = waiting.read_reply();
  CHECK(refused.status == 401);
  CHECK(refused.body.find("revoked") != std::string::npos);
}

TEST_CASE("a waiting caller that hangs up frees its place long before the wait is over") {
  TestService service;
  const auto project = service.create_project();
  const auto wait = "GET /api/v1/events?wait=30&after=" + page_of(ask(service, project.test_key)).next +
                    " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + project.test_key + "\r\n\r\n";
  const auto until_waiting = [&](double count) {
    while (metric(service.metrics(), "pixledger_http_long_polls") != count) std::this_thread::yield();
  };
  auto stays = std::make_unique<RawConnection>(service.port());
  stays->send(wait);
  until_waiting(1);
  auto leaves = std::make_unique<RawConnection>(service.port());
  leaves->send(wait);
  until_waiting(2);
  leaves.reset();
  until_waiting(1);
  // The freed place was not that of the first call, whose wait would have ended first.
  const auto charge = create_charge(service, project.test_key);
  CHECK(stays->read_reply().body.find(charge) != std::string::npos);
}

TEST_CASE("readers that follow the feed while others write see every event once") {
  TestService service;
  const auto project = service.create_project();
  constexpr int kCharges = 150;
  auto reader = std::async(std::launch::async, [&] {
    std::vector<Item> seen;
    std::string after;
    int created = 0;
    while (created < kCharges) {
      const auto page = page_of(
          ask(service, project.test_key, "?wait=10&limit=5" + (after.empty() ? "" : "&after=" + after)));
      after = page.next;
      for (const auto& item : page.items) {
        if (item.event == "transaction.created") ++created;
        seen.push_back(item);
      }
    }
    return seen;
  });
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&] {
      for (int i = 0; i < kCharges / 3; ++i)
        service.send("POST", "/api/v1/transactions", project.test_key, creation_body());
    });
  }
  for (auto& writer : writers) writer.join();
  const auto followed = reader.get();
  const auto all = read_all(service, project.test_key, 1000);
  REQUIRE(followed.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(followed[i].id == all[i].id);
}
