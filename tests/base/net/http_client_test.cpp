#include "base/net/http_client.h"

#include <Poco/Net/ServerSocket.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/https_receiver.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace std::chrono_literals;

namespace {

using Cause = SendFailure::Cause;
using Sent = std::variant<IncomingAnswer, SendFailure>;

constexpr const char* kHost = "shop.example";
constexpr const char* kOkEmpty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

PinnedTarget target(std::uint16_t port, const std::string& host = kHost, bool https = true) {
  return {{https, host, port, "/hooks?from=pixledger"}, {parsed<IpAddress>("127.0.0.1")}};
}

// Answers each request with exactly these bytes, the last of them from then on, one connection after the
// other, without TLS. An empty answer closes the connection. Outlives the client, which holds connections
// open.
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
      if (answer.empty()) return;
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

struct Client {
  TestAuthority authority;
  DeadlineWatch watch;
  HttpClient http{watch, make_tls_client_context(authority.ca_file()), 5s};

  Sent send(const PinnedTarget& to, std::chrono::milliseconds time = 10s, bool is_repeatable = false) {
    return http.send(to, {.method = "POST",
                          .headers = {{"Content-Type", "application/json"}},
                          .body = "{}",
                          .answer_bytes_max = 64 * 1024,
                          .deadline = std::chrono::steady_clock::now() + time,
                          .is_repeatable = is_repeatable});
  }
  Sent send(const HttpsReceiver& receiver) { return send(target(receiver.port())); }
};

// 0: no answer.
int status_of(const Sent& sent) {
  const auto* const answer = std::get_if<IncomingAnswer>(&sent);
  return answer == nullptr ? 0 : answer->status;
}

void check_failure(const Sent& sent, Cause cause, const std::string& reason, bool was_sent) {
  const auto& failure = std::get<SendFailure>(sent);
  CHECK(failure.cause == cause);
  CHECK(failure.reason == reason);
  CHECK(failure.was_sent == was_sent);
}

HttpsReceiver::Script always(const ReceiverAnswer& answer) {
  return [answer](const ReceivedWebhook&, std::size_t) { return answer; };
}

}  // namespace

TEST_CASE("a request goes over TLS to the pinned address, under the host's name") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost),
                               always({.status = 201, .headers = {{"X-Count", "7"}}, .body = "made"}));
  const auto sent = client.send(receiver);
  const auto& answer = std::get<IncomingAnswer>(sent);
  CHECK(answer.status == 201);
  CHECK(answer.headers.get("x-count", "") == "7");
  CHECK(answer.body == "made");
  CHECK(answer.body_state == IncomingAnswer::Body::kComplete);
  const auto request = receiver.wait_for(1).at(0);
  CHECK(request.method == "POST");
  CHECK(request.path == "/hooks?from=pixledger");
  CHECK(request.body == "{}");
  CHECK(request.header("host") == std::string(kHost) + ":" + std::to_string(receiver.port()));
  CHECK(request.header("content-type") == "application/json");
  CHECK(request.headers.count("accept-encoding") == 0);
}

TEST_CASE("a request is not sent to a server whose certificate is refused") {
  Client client;
  const TestAuthority stranger;
  const auto check = [&](const CertificateFiles& certificate, const std::string& host) {
    const HttpsReceiver receiver(certificate);
    check_failure(client.send(target(receiver.port(), host)), Cause::kCertificate,
                  "the server's certificate is refused", false);
    CHECK(receiver.received().empty());
  };
  SECTION("a certificate for another host") { check(client.authority.issue("evil.example"), kHost); }
  SECTION("a certificate for another host, on localhost") {
    check(client.authority.issue(kHost), "localhost");
  }
  SECTION("a certificate of an authority that is not trusted") { check(stranger.issue(kHost), kHost); }
  SECTION("a self-signed certificate") { check(client.authority.issue_self_signed(kHost), kHost); }
  SECTION("an expired certificate") { check(client.authority.issue_expired(kHost), kHost); }
}

TEST_CASE("a request goes without TLS only where the target says so") {
  Client client;
  const HttpsReceiver receiver(HttpsReceiver::Script{});
  CHECK(status_of(client.send(target(receiver.port(), kHost, false))) == 200);
  CHECK_FALSE(std::get<SendFailure>(client.send(target(receiver.port()))).was_sent);
}

TEST_CASE("a redirect is an answer and is not followed") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost),
                               always({.status = 302, .headers = {{"Location", "/elsewhere"}}}));
  CHECK(status_of(client.send(receiver)) == 302);
  CHECK(receiver.received().size() == 1);
}

TEST_CASE("a receiver that does not answer is cut off at the deadline") {
  Client client;
  const HttpsReceiver receiver(always({.never = true}));
  check_failure(client.send(target(receiver.port(), kHost, false), 200ms), Cause::kTimeout, "timeout", true);
}

TEST_CASE("a receiver that never gets through the handshake is cut off at the deadline") {
  Client client;
  // Connections to it are queued by the kernel and never read.
  const Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0));
  check_failure(client.send(target(silent.address().port()), 200ms), Cause::kTimeout, "timeout", false);
}

TEST_CASE("a kept connection gives each request all of its own time") {
  Client client;
  const HttpsReceiver receiver(
      [](const ReceivedWebhook&, std::size_t nth) { return ReceiverAnswer{.never = nth == 2}; });
  const auto to = target(receiver.port(), kHost, false);
  REQUIRE(status_of(client.send(to, 1s)) == 200);
  const auto begin = std::chrono::steady_clock::now();
  check_failure(client.send(to, 1500ms), Cause::kTimeout, "timeout", true);
  CHECK(std::chrono::steady_clock::now() - begin >= 1400ms);  // milliseconds are rounded down
  CHECK(receiver.connections() == 1);
}

TEST_CASE("a closed port is reported as such") {
  Client client;
  const auto port = Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port();
  check_failure(client.send(target(port)), Cause::kRefused, "connection refused", false);
}

TEST_CASE("the next address is tried when the first does not accept") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost));
  auto to = target(receiver.port());
  to.addresses.insert(to.addresses.begin(), parsed<IpAddress>("127.0.0.2"));
  CHECK(status_of(client.send(to)) == 200);
}

TEST_CASE("an answer is read to its limit, and a connection with the rest of it is not used again") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost), always({.body = std::string(1 << 20, 'x')}));
  for (int i = 0; i < 2; ++i) {
    const auto sent = client.send(receiver);
    const auto& answer = std::get<IncomingAnswer>(sent);
    CHECK(answer.status == 200);
    CHECK(answer.body == std::string(64 * 1024, 'x'));
    CHECK(answer.body_state == IncomingAnswer::Body::kTooLong);
  }
  CHECK(receiver.connections() == 2);
}

TEST_CASE("an answer that breaks off is marked, and its connection is not used again") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost), always({.body = "half", .broken_off = true}));
  for (int i = 0; i < 2; ++i) {
    const auto sent = client.send(receiver);
    const auto& answer = std::get<IncomingAnswer>(sent);
    CHECK(answer.body == "half");
    CHECK(answer.body_state == IncomingAnswer::Body::kBrokenOff);
  }
  CHECK(receiver.connections() == 2);
}

TEST_CASE("a chunked answer is read as one text") {
  const LiteralReceiver receiver(
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"});
  Client client;
  for (int i = 0; i < 2; ++i) {
    const auto sent = client.send(receiver.at());
    CHECK(std::get<IncomingAnswer>(sent).body == "abc");
    CHECK(std::get<IncomingAnswer>(sent).body_state == IncomingAnswer::Body::kComplete);
  }
}

TEST_CASE("a connection that the receiver keeps open is used again") {
  Client client;
  const HttpsReceiver receiver(client.authority.issue(kHost));
  for (int i = 0; i < 3; ++i) REQUIRE(status_of(client.send(receiver)) == 200);
  CHECK(receiver.connections() == 1);
}

TEST_CASE("a connection that the receiver has closed is replaced") {
  Client client;
  auto first = std::make_unique<HttpsReceiver>(client.authority.issue(kHost));
  const auto to = target(first->port());
  REQUIRE(status_of(client.send(to)) == 200);
  first.reset();
  CHECK(std::get<SendFailure>(client.send(to, 10s, true)).cause == Cause::kRefused);
}

TEST_CASE("after a kept connection closes without an answer only a repeatable request is sent again") {
  for (const bool is_repeatable : {true, false}) {
    const LiteralReceiver receiver({kOkEmpty, "", kOkEmpty});
    Client client;
    REQUIRE(status_of(client.send(receiver.at())) == 200);
    const auto sent = client.send(receiver.at(), 10s, is_repeatable);
    CHECK(status_of(sent) == (is_repeatable ? 200 : 0));
    if (!is_repeatable) CHECK(std::get<SendFailure>(sent).was_sent);
    CHECK(receiver.requests() == (is_repeatable ? 3 : 2));
  }
}

TEST_CASE("interim responses are not the answer") {
  const LiteralReceiver receiver(
      {"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" +
       std::string(kOkEmpty)});
  Client client;
  for (int i = 0; i < 2; ++i) CHECK(status_of(client.send(receiver.at())) == 200);
  CHECK(receiver.connections() == 1);
}

TEST_CASE("bytes after an answer are never read as the next one") {
  for (const auto* first :
       {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n"}) {
    const LiteralReceiver receiver({std::string(first) + kOkEmpty});
    Client client;
    for (int i = 0; i < 2; ++i) CHECK(status_of(client.send(receiver.at())) != 200);
    CHECK(receiver.connections() == 2);
  }
}

TEST_CASE("an invalid answer on a kept connection is a failure, and is not asked for again") {
  for (const auto* second : {"HTTP/1.1 abc\r\n\r\n", "SSH-2.0 not http\r\n\r\n"}) {
    const LiteralReceiver receiver({kOkEmpty, second});
    Client client;
    CHECK(status_of(client.send(receiver.at())) == 200);
    CHECK(status_of(client.send(receiver.at(), 10s, true)) == 0);
    CHECK(receiver.requests() == 2);
    CHECK(receiver.connections() == 1);
  }
}
