#include "workers/webhooks/webhook_sender.h"

#include <catch2/catch.hpp>
#include <vector>

#include "base/process/version.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/https_receiver.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

constexpr const char* kHost = "shop.example";

PinnedTarget target(std::uint16_t port) {
  return {{true, kHost, port, "/hooks?from=pixledger"}, {parsed<IpAddress>("127.0.0.1")}};
}

struct Sender {
  TestAuthority authority;
  WebhookSender sender{{authority.ca_file(), 5s, 10s}};

  PostResult post(const HttpsReceiver& receiver) {
    return sender.post(target(receiver.port()), {{{"X-Webhook-Event", "transaction.paid"}}, "{}"});
  }
};

}  // namespace

TEST_CASE("a webhook is posted as JSON with its own headers") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost));
  const auto result = sender.post(receiver);
  REQUIRE(result.error == "");
  REQUIRE(result.http_status == 200);
  const auto webhook = receiver.wait_for(1).at(0);
  REQUIRE(webhook.method == "POST");
  REQUIRE(webhook.body == "{}");
  REQUIRE(webhook.header("content-type") == "application/json");
  REQUIRE(webhook.header("user-agent") == kUserAgent);
  REQUIRE(webhook.header("x-webhook-event") == "transaction.paid");
}

TEST_CASE("a refused certificate is the attempt's error") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue("evil.example"));
  const auto result = sender.post(receiver);
  REQUIRE(result.http_status == 0);
  REQUIRE(result.error == "the server's certificate is refused");
  REQUIRE(receiver.received().empty());
}

TEST_CASE("a redirect is a failed attempt") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{302, {{"Location", "/elsewhere"}}};
  });
  const auto result = sender.post(receiver);
  REQUIRE(result.http_status == 302);
  REQUIRE(result.error == "HTTP 302");
  REQUIRE_FALSE(result.succeeded());
}

TEST_CASE("a receiver that does not answer is cut off when the attempt's time is over") {
  const TestAuthority authority;
  WebhookSender sender({authority.ca_file(), 5s, 200ms});
  const HttpsReceiver receiver(authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{200, {}, "", true};
  });
  const auto result = sender.post(target(receiver.port()), {{}, "{}"});
  REQUIRE(result.http_status == 0);
  REQUIRE(result.error == "timeout");
  REQUIRE(result.latency_ms >= 200);
  REQUIRE(result.latency_ms < 5'000);
}

TEST_CASE("an answer longer than what is read of one still counts") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{200, {}, std::string(1 << 20, 'x')};
  });
  const auto result = sender.post(receiver);
  REQUIRE(result.succeeded());
  REQUIRE(result.error == "");
}

TEST_CASE("a receiver's answer is stored in readable form") {
  struct Case {
    std::string body;
    std::string kept;
    std::string coding;
  };
  const std::string with_nul("\xe3\0", 2);
  const std::vector<Case> cases{{"ok \u00e7\r\n\tdone", "ok \u00e7   done", ""},
                                {"pago\u202e 99\u200b", "pago\\u202e 99\\u200b", ""},
                                {"N\xe3o autorizado \xe7\xe3o", "N\u00e3o autorizado \u00e7\u00e3o", ""},
                                {"\u00e7 N\xe3o", "\u00e7 N?o", ""},
                                {with_nul, "? ", ""},
                                {"\xef\xbb\xbfok", "ok", ""},
                                {"\x1f\x8b\x08\x02\x03", "(compressed, which was not asked for)", "gzip"},
                                {"\x1f\x8b\x08\x02\x03", "(compressed, which was not asked for)", ""},
                                {"ok", "ok", "identity"},
                                {"", "", "gzip"},
                                {std::string(1023, 'x') + "\u00e7", std::string(1023, 'x'), ""},
                                {std::string(1022, 'x') + "\u200b", std::string(1022, 'x') + "\\u", ""}};
  for (const auto& [body, kept, coding] : cases) {
    Sender sender;
    const HttpsReceiver receiver(sender.authority.issue(kHost), [&](const ReceivedWebhook&, std::size_t) {
      return coding.empty() ? ReceiverAnswer{422, {}, body}
                            : ReceiverAnswer{422, {{"Content-Encoding", coding}}, body};
    });
    CHECK(sender.post(receiver).answer == kept);
  }
}

TEST_CASE("the receiver's Retry-After is handed on") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{503, {{"Retry-After", "7"}}};
  });
  REQUIRE(sender.post(receiver).retry_after == "7");
}
