#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "base/http/transport/server.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_certificates.h"

// What an observer learns of connections that end without a request.
using namespace pixledger;
using namespace std::chrono_literals;
using tests::RawConnection;

namespace {

const std::string kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

struct Counter final : http::ServerObserver {
  void request_arrived() override {}
  void request_answered(const http::Request&, int, std::chrono::nanoseconds) override { ++answered; }
  void request_refused(const http::Request&, int) override { ++refused; }
  void connection_broke_off() override { ++broke_off; }
  void connection_refused() override { ++without_room; }

  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  std::atomic<int> broke_off{0};
  std::atomic<int> without_room{0};
};

// Answers every request 200.
struct ObservedServer {
  explicit ObservedServer(const http::ServerOptions& options) : server(options, services()) {
    server.start();
  }

  http::ServerServices services() {
    http::ServerServices given;
    given.application = [](const http::Responder& responder) { responder({}); };
    given.entropy = [this](std::span<std::byte> bytes) { entropy.fill(bytes); };
    given.unix_time_s = [] { return 0; };
    given.log_fault = [](const http::Request&, std::string_view) {};
    given.observer = &seen;
    return given;
  }
  Poco::Net::StreamSocket connect() const {
    return Poco::Net::StreamSocket(Poco::Net::SocketAddress("127.0.0.1", server.port()));
  }
  void await_none_open() const {
    while (server.open_connections() > 0) std::this_thread::yield();
  }

  tests::SeededEntropy entropy{1};
  Counter seen;
  http::Server server;
};

http::ServerOptions tls_options(const tests::CertificateFiles& files) {
  http::ServerOptions options;
  options.tls_cert_file = files.cert_file;
  options.tls_key_file = files.key_file;
  return options;
}

}  // namespace

TEST_CASE("an observer learns once of each connection that ends in its handshake") {
  const tests::TestAuthority authority;
  auto options = tls_options(authority.issue("localhost"));
  options.head_deadline = 100ms;
  ObservedServer observed(options);
  observed.connect();  // gone at once
  auto plain = observed.connect();
  plain.sendBytes(kGet.data(), static_cast<int>(kGet.size()));
  auto silent = observed.connect();
  while (observed.seen.broke_off < 3) std::this_thread::yield();
  observed.await_none_open();
  CHECK(observed.seen.broke_off == 3);
  CHECK(observed.seen.refused == 0);
}

TEST_CASE("an observer learns once of each request that does not arrive") {
  ObservedServer observed({});
  auto reset = observed.connect();
  reset.sendBytes("GET /", 5);
  reset.setLinger(true, 0);
  reset.close();
  while (observed.seen.broke_off < 1) std::this_thread::yield();

  RawConnection ended(observed.server.port());
  ended.send("GET /");
  ended.finish_sending();
  CHECK(ended.read_reply().status == 400);
  CHECK(ended.is_closed_by_peer());
  {
    RawConnection whole(observed.server.port());
    whole.send(kGet);
    CHECK(whole.read_reply().status == 200);
  }
  observed.await_none_open();
  CHECK(observed.seen.broke_off == 1);
  CHECK(observed.seen.refused == 1);
  CHECK(observed.seen.answered == 1);
}

TEST_CASE("an observer learns once of each connection that finds no room") {
  const tests::TestAuthority authority;
  const auto files = authority.issue("localhost");
  for (const bool with_tls : {false, true}) {
    auto options = with_tls ? tls_options(files) : http::ServerOptions();
    options.max_connections = 1;
    options.slow_after = 1h;
    ObservedServer observed(options);
    using Security = RawConnection::Security;
    RawConnection first(observed.server.port(), with_tls ? Security::kTls : Security::kPlain);
    first.send(kGet);
    CHECK(first.read_reply().status == 200);
    RawConnection second(observed.server.port());
    if (!with_tls) CHECK(second.read_reply().status == 503);
    CHECK(second.is_closed_by_peer());
    CHECK(observed.seen.without_room == (with_tls ? 1 : 0));
    CHECK(observed.seen.refused == (with_tls ? 0 : 1));
    CHECK(observed.seen.broke_off == 0);
  }
}
