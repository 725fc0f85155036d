#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "base/http/transport/server.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"

// A server whose connections are all taken.
using namespace pixledger;
using namespace std::chrono_literals;
using tests::exchange;
using tests::ListeningServer;
using tests::RawConnection;
using tests::RawReply;

namespace {

const std::string kGetEcho = "GET /echo?a=b HTTP/1.1\r\nHost: x\r\n\r\n";

// `slow_after`: the minimum age of a connection that is closed for another.
http::ServerOptions options_with(std::size_t max_connections, std::chrono::milliseconds slow_after = 0ms) {
  http::ServerOptions options;
  options.max_connections = max_connections;
  options.slow_after = slow_after;
  return options;
}

}  // namespace

TEST_CASE("a connection over the limit is answered 503, and one within it is served again later") {
  ListeningServer server(options_with(2));
  {
    RawConnection first(server.port());
    RawConnection second(server.port());
    for (RawConnection* connection : {&first, &second})
      connection->send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    server.await_waiting(2);
    RawConnection third(server.port());
    third.send(kGetEcho);
    const RawReply reply = third.read_reply();
    CHECK(reply.status == 503);
    CHECK(reply.header("retry-after") == "1");
    CHECK(reply.header("connection") == "close");
    CHECK(reply.header("x-request-id").starts_with("req_"));
    CHECK(reply.body.find(R"("code":"ERR_HTTP_503")") != std::string::npos);
    CHECK(third.is_closed_by_peer());
    RawConnection fourth(server.port());
    CHECK(fourth.read_reply().status == 503);
    CHECK(server.logged_refusals() == 1);
    server.let_go();
    for (RawConnection* connection : {&first, &second}) CHECK(connection->read_reply().status == 200);
  }
  while (server.server().open_connections() >= 2) std::this_thread::yield();
  CHECK(exchange(server.port(), kGetEcho).status == 200);
}

TEST_CASE("when all connections are taken, a new one takes the place of the longest idle") {
  ListeningServer server(options_with(3));
  RawConnection busy(server.port());
  busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  server.await_waiting(1);
  RawConnection longest(server.port());
  RawConnection shorter(server.port());
  longest.send(kGetEcho);
  CHECK(longest.read_reply().status == 200);
  // A reply leaves before its connection counts as idle.
  const auto idle_at_last = std::chrono::steady_clock::now() + 50ms;
  while (std::chrono::steady_clock::now() < idle_at_last) {
    shorter.send(kGetEcho);
    REQUIRE(shorter.read_reply().status == 200);
  }
  RawConnection newcomer(server.port());
  newcomer.send(kGetEcho);
  CHECK(newcomer.read_reply().status == 200);
  CHECK(longest.is_closed_by_peer());
  shorter.send(kGetEcho);
  CHECK(shorter.read_reply().status == 200);
  CHECK(server.server().refused_connections() == 0);
  server.let_go();
  CHECK(busy.read_reply().status == 200);
}

TEST_CASE("silent connections do not lock anybody out") {
  ListeningServer server(options_with(4));
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(std::make_unique<RawConnection>(server.port()));
  RawReply reply;
  // A connection that was just accepted may not count as waiting yet.
  do reply = exchange(server.port(), kGetEcho);
  while (reply.status == 503);
  CHECK(reply.status == 200);
}

TEST_CASE("when no connection is idle, a new one takes the place of the request that is slowest to arrive") {
  const auto options = options_with(1);
  for (const std::string part : {"GET /ec", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{"}) {
    ListeningServer server(options);
    RawConnection slow(server.port());
    slow.send(kGetEcho + part);
    CHECK(slow.read_reply().status == 200);
    RawReply reply;
    // The slow one may not count as waiting yet.
    do reply = exchange(server.port(), kGetEcho);
    while (reply.status == 503);
    CHECK(reply.status == 200);
    const RawReply farewell = slow.read_reply();
    CHECK(farewell.status == 503);
    CHECK(farewell.header("retry-after") == "1");
    CHECK(server.handled() == 2);
  }
}

TEST_CASE("a slow request makes room before an idle connection, whichever loops they are on") {
  auto options = options_with(2);
  options.loops = 2;
  ListeningServer server(options);
  RawConnection idle(server.port());
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
  RawConnection slow(server.port());
  slow.send("GET /ec");
  // The loops take turns: this connection gets the idle one's loop.
  CHECK(exchange(server.port(), kGetEcho).status == 200);
  CHECK(slow.read_reply().status == 503);
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
}

TEST_CASE("a request that has just begun to arrive is not interrupted for a new connection") {
  ListeningServer server(options_with(1, 1h));
  RawConnection first(server.port());
  first.send(kGetEcho + "GET /ec");
  CHECK(first.read_reply().status == 200);
  CHECK(exchange(server.port(), kGetEcho).status == 503);
  first.send("ho HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(first.read_reply().status == 200);
}

TEST_CASE("as many connections as allowed are served at the same time, again and again") {
  constexpr int kConnections = 24;
  ListeningServer server(options_with(kConnections));
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int i = 0; i < kConnections; ++i)
      connections.push_back(std::make_unique<RawConnection>(server.port()));
    for (const auto& connection : connections) connection->send(kGetEcho);
    for (const auto& connection : connections) CHECK(connection->read_reply().status == 200);
    connections.clear();
    while (server.server().open_connections() > 0) std::this_thread::yield();
  }
}

TEST_CASE("no connection is ended for another while it is young, and refused ones are counted") {
  ListeningServer server(options_with(2, 1h));
  RawConnection idle(server.port());
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
  RawConnection silent(server.port());
  CHECK(exchange(server.port(), kGetEcho).status == 503);
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
  silent.send(kGetEcho);
  CHECK(silent.read_reply().status == 200);
  const auto& counts = server.server().connections();
  CHECK(counts.endings(http::RoomEnding::kNewcomer) == 1);
  CHECK(counts.endings(http::RoomEnding::kIdle) == 0);
}

TEST_CASE("a connection that does not read its reply is closed before idle ones") {
  ListeningServer server(options_with(2));
  RawConnection reader(server.port());
  reader.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  reader.read_reply_without_body();
  RawConnection idle(server.port());
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
  const auto& counts = server.server().connections();
  while (counts.endings(http::RoomEnding::kSlowReader) == 0) {
    REQUIRE(counts.endings(http::RoomEnding::kIdle) == 0);
    CHECK(exchange(server.port(), kGetEcho).status == 200);
  }
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
}

TEST_CASE("one address has so many connections and no more, and a trusted proxy as many as there are") {
  auto options = options_with(100);
  options.max_connections_per_address = 2;
  for (const bool is_proxy : {false, true}) {
    if (is_proxy) options.trusted_proxies = {*Cidr::parse("127.0.0.1/32")};
    ListeningServer server(options);
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int i = 0; i < 3; ++i) {
      connections.push_back(std::make_unique<RawConnection>(server.port()));
      connections.back()->send(kGetEcho);
      CHECK(connections.back()->read_reply().status == 200);
    }
    CHECK(server.server().open_connections() == (is_proxy ? 3 : 2));
    CHECK(server.server().connections().endings(http::RoomEnding::kIdle) == (is_proxy ? 0 : 1));
  }
}
