#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace std::chrono_literals;
using tests::exchange;
using tests::ListeningServer;
using tests::RawConnection;

namespace {

const std::string kGet = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kPost = "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";
const std::string kOther = "GET /echo?2 HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("while one request waits to be admitted, others of its loop are served, and then it is served") {
  ListeningServer server;
  RawConnection first(server.port());
  RawConnection second(server.port());
  first.send(kGet);
  second.send(kPost + "body");
  server.await_waiting(2);
  CHECK(exchange(server.port(), kOther).status == 200);
  CHECK(server.handled() == 1);
  server.let_go();
  CHECK(first.read_reply().body == "GET /later? ");
  CHECK(second.read_reply().body == "POST /later? body");
}

TEST_CASE(
    "the body of a waiting request may come meanwhile or later, and requests sent ahead come after it") {
  ListeningServer server;
  RawConnection early(server.port());
  RawConnection late(server.port());
  early.send(kPost);
  late.send(kPost + "bo");
  server.await_waiting(2);
  early.send("body" + kOther);
  server.let_go();
  late.send("dy" + kOther);
  for (auto* connection : {&early, &late}) {
    CHECK(connection->read_reply().body == "POST /later? body");
    CHECK(connection->read_reply().body == "GET /echo?2 ");
  }
}

TEST_CASE("the wait for what admits a request is limited") {
  http::ServerOptions options;
  options.prepare_max = 50ms;
  ListeningServer server(options);
  CHECK(exchange(server.port(), kGet).body == "GET /later? ");
  server.let_go();
}

TEST_CASE("a caller that leaves while waiting to be admitted is dropped, and a half-closed one is answered") {
  ListeningServer server;
  {
    RawConnection gone(server.port());
    gone.send(kGet);
    server.await_waiting(1);
  }
  RawConnection half(server.port());
  half.send(kGet);
  server.await_waiting(2);
  half.finish_sending();
  CHECK(exchange(server.port(), kOther).status == 200);
  server.let_go();
  CHECK(half.read_reply().body == "GET /later? ");
}

TEST_CASE("a stopping server says so to callers that wait to be admitted") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send(kGet);
  server.await_waiting(1);
  server.server().stop(20s);
  CHECK(connection.read_reply().status == 503);
}
