#include "workers/webhooks/webhook_sender.h"

#include <Poco/Net/ServerSocket.h>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
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

PinnedTarget target(std::uint16_t port, const std::string& host = kHost, bool https = true) {
  return {{https, host, port, "/hooks?from=pixledger"}, {parsed<IpAddress>("127.0.0.1")}};
}

// Answers each webhook with exactly these bytes, the last of them from then on, one connection after the
// other, without TLS. Outlives the sender, which holds connections open.
class LiteralReceiver {
 public:
  explicit LiteralReceiver(std::vector<std::string> answers)
      : answers_(std::move(answers)), thread_([this] { run(); }) {}
  ~LiteralReceiver() {
    stopping_ = true;
    Poco::Net::StreamSocket(socket_.address()).close();
    thread_.join();
  }
  LiteralReceiver(const LiteralReceiver&) = delete;
  LiteralReceiver& operator=(const LiteralReceiver&) = delete;

  PinnedTarget at() const { return target(socket_.address().port(), kHost, false); }
  int connections() const { return connections_; }
  std::size_t requests() const { return requests_; }

 private:
  void run() {
    while (true) {
      auto peer = socket_.acceptConnection();
      if (stopping_) return;
      ++connections_;
      serve(peer);
    }
  }
  void serve(Poco::Net::StreamSocket& peer) {
    std::string received;
    std::array<char, 4096> buffer{};
    while (const int size = peer.receiveBytes(buffer.data(), buffer.size())) {
      received.append(buffer.data(), static_cast<std::size_t>(size));
      if (received.find("\r\n\r\n{}") == std::string::npos) continue;
      received.clear();
      const auto& answer = answers_[std::min(requests_++, answers_.size() - 1)];
      peer.sendBytes(answer.data(), static_cast<int>(answer.size()));
    }
  }

  const std::vector<std::string> answers_;
  Poco::Net::ServerSocket socket_{Poco::Net::SocketAddress("127.0.0.1", 0)};
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::atomic<std::size_t> requests_ = 0;
  std::thread thread_;
};

struct Sender {
  TestAuthority authority;
  WebhookSender sender{{authority.ca_file(), 5s, 10s}};

  PostResult post(const HttpsReceiver& receiver) { return post(target(receiver.port())); }
  PostResult post(const PinnedTarget& to) {
    return sender.post(to, {{{"X-Webhook-Event", "transaction.paid"}}, "{}"});
  }
};

}  // namespace

TEST_CASE("a webhook is posted over TLS to the pinned address, under the host's name") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost));
  const auto result = sender.post(receiver);
  REQUIRE(result.error == "");
  REQUIRE(result.http_status == 200);
  const auto webhook = receiver.wait_for(1).at(0);
  REQUIRE(webhook.path == "/hooks?from=pixledger");
  REQUIRE(webhook.body == "{}");
  REQUIRE(webhook.header("host") == std::string(kHost) + ":" + std::to_string(receiver.port()));
  REQUIRE(webhook.header("content-type") == "application/json");
  REQUIRE(webhook.header("user-agent") == kUserAgent);
  REQUIRE(webhook.header("x-webhook-event") == "transaction.paid");
}

TEST_CASE("a certificate for another host is refused") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue("evil.example"));
  const auto result = sender.post(receiver);
  REQUIRE(result.http_status == 0);
  REQUIRE(result.error == "the server's certificate is refused");
  REQUIRE(receiver.received().empty());
}

TEST_CASE("a certificate for another host is refused on localhost too") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost));
  REQUIRE(sender.post(target(receiver.port(), "localhost")).error == "the server's certificate is refused");
}

TEST_CASE("a certificate of an authority that is not trusted is refused") {
  Sender sender;
  const TestAuthority stranger;
  const HttpsReceiver receiver(stranger.issue(kHost));
  REQUIRE(sender.post(receiver).error == "the server's certificate is refused");
  REQUIRE(receiver.received().empty());
}

TEST_CASE("a certificate that signed itself is refused") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue_self_signed(kHost));
  REQUIRE(sender.post(receiver).error == "the server's certificate is refused");
  REQUIRE(receiver.received().empty());
}

TEST_CASE("an expired certificate is refused") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue_expired(kHost));
  REQUIRE(sender.post(receiver).error == "the server's certificate is refused");
  REQUIRE(receiver.received().empty());
}

TEST_CASE("a redirect is an answer and is not followed") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{302, {{"Location", "/elsewhere"}}};
  });
  const auto result = sender.post(receiver);
  REQUIRE(result.http_status == 302);
  REQUIRE(result.error == "HTTP 302");
  REQUIRE_FALSE(result.succeeded());
  REQUIRE(receiver.received().size() == 1);
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

TEST_CASE("a receiver that never gets through the handshake is cut off as well") {
  const TestAuthority authority;
  WebhookSender sender({authority.ca_file(), 5s, 200ms});
  // Connections to it are queued by the kernel and never read.
  const Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0));
  const auto result = sender.post(target(silent.address().port()), {{}, "{}"});
  REQUIRE(result.error == "timeout");
}

TEST_CASE("a closed port is reported as such") {
  Sender sender;
  std::uint16_t port = 0;
  { port = Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port(); }
  REQUIRE(sender.post(target(port)).error == "connection refused");
}

TEST_CASE("the next address is tried when the first does not accept") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost));
  auto to = target(receiver.port());
  to.addresses.insert(to.addresses.begin(), parsed<IpAddress>("127.0.0.2"));
  REQUIRE(sender.post(to).http_status == 200);
}

TEST_CASE("an answer longer than what is read of one still counts") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{200, {}, std::string(1 << 20, 'x')};
  });
  REQUIRE(sender.post(receiver).http_status == 200);
  // The connection with the rest of it is not used again.
  REQUIRE(sender.post(receiver).http_status == 200);
  REQUIRE(receiver.connections() == 2);
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

TEST_CASE("a connection that the receiver keeps open is used again") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost));
  for (int i = 0; i < 3; ++i) REQUIRE(sender.post(receiver).http_status == 200);
  REQUIRE(receiver.connections() == 1);
}

TEST_CASE("interim responses are not the answer") {
  const LiteralReceiver receiver(
      {"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"});
  Sender sender;
  for (int i = 0; i < 2; ++i) CHECK(sender.post(receiver.at()).http_status == 200);
  CHECK(receiver.connections() == 1);
}

TEST_CASE("bytes after an answer are never read as the next one") {
  for (const auto* first :
       {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n"}) {
    const LiteralReceiver receiver({std::string(first) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"});
    Sender sender;
    for (int i = 0; i < 2; ++i) CHECK_FALSE(sender.post(receiver.at()).succeeded());
    CHECK(receiver.connections() == 2);
  }
}

TEST_CASE("an invalid answer on a kept connection is a failed attempt") {
  for (const auto* second : {"HTTP/1.1 abc\r\n\r\n", "SSH-2.0 not http\r\n\r\n"}) {
    const LiteralReceiver receiver({"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", second});
    Sender sender;
    CHECK(sender.post(receiver.at()).succeeded());
    CHECK_FALSE(sender.post(receiver.at()).succeeded());
    CHECK(receiver.requests() == 2);
    CHECK(receiver.connections() == 1);
  }
}

TEST_CASE("a connection that the receiver has closed is replaced") {
  Sender sender;
  const auto certificate = sender.authority.issue(kHost);
  auto first = std::make_unique<HttpsReceiver>(certificate);
  const auto to = target(first->port());
  REQUIRE(sender.post(to).http_status == 200);
  first.reset();
  REQUIRE(sender.post(to).error == "connection refused");
}

TEST_CASE("without TLS only where the target says so") {
  Sender sender;
  const HttpsReceiver receiver(HttpsReceiver::Script{});
  REQUIRE(sender.post(target(receiver.port(), kHost, false)).http_status == 200);
  REQUIRE(sender.post(target(receiver.port())).http_status == 0);
}

TEST_CASE("the receiver's Retry-After is handed on") {
  Sender sender;
  const HttpsReceiver receiver(sender.authority.issue(kHost), [](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{503, {{"Retry-After", "7"}}};
  });
  REQUIRE(sender.post(receiver).retry_after == "7");
}
