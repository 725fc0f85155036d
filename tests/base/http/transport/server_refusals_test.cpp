#include <catch2/catch.hpp>
#include <thread>

#include "base/http/transport/server.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace std::chrono_literals;
using tests::exchange;
using tests::ListeningServer;
using tests::RawConnection;
using tests::RawReply;

namespace {

const std::string kPost = "POST /echo HTTP/1.1\r\nHost: x\r\n";

// A refusal has the error shape, closes the connection and never reaches a handler.
void check_refused(ListeningServer& server, const std::string& bytes, int status) {
  INFO(bytes.substr(0, 200));
  RawConnection connection(server.port());
  connection.send(bytes);
  connection.finish_sending();
  const RawReply reply = connection.read_reply();
  CHECK(reply.status == status);
  CHECK(reply.body.starts_with(R"({"success":false,"code":"ERR_HTTP_)" + std::to_string(status) + "\""));
  CHECK(reply.body.find("\"requestId\":\"" + reply.header("x-request-id") + "\"") != std::string::npos);
  CHECK(reply.header("connection") == "close");
  CHECK(connection.is_closed_by_peer());
  CHECK(server.handled() == 0);
}

http::ServerOptions impatient() {
  http::ServerOptions options;
  options.request_deadline = 100ms;
  options.idle_timeout = 100ms;
  return options;
}

}  // namespace

TEST_CASE("an invalid request line is refused with 400") {
  ListeningServer server;
  for (const char* line : {"GET", "GET /echo", "GET  /echo HTTP/1.1", "GET /echo HTTP/1.1 ",
                           "GET echo HTTP/1.1", "GET * HTTP/1.1", "GET /echo HTTP/11", "GET /echo HTTP/1.x",
                           "GET /echo http/1.1", "G@T /echo HTTP/1.1", " GET /echo HTTP/1.1",
                           "GET /a b HTTP/1.1", "GET /a\tb HTTP/1.1", "GET /a\x7f HTTP/1.1"}) {
    check_refused(server, std::string(line) + "\r\nHost: x\r\n\r\n", 400);
  }
}

TEST_CASE("a later minor version is served as HTTP/1.1, and another major one is refused with 505") {
  ListeningServer server;
  check_refused(server, "GET /echo HTTP/2.0\r\nHost: x\r\n\r\n", 505);
  check_refused(server, "GET /echo HTTP/0.9\r\nHost: x\r\n\r\n", 505);
  const RawReply reply = exchange(server.port(), "GET /echo HTTP/1.2\r\nHost: x\r\n\r\n");
  CHECK(reply.status == 200);
  CHECK(reply.header("connection") == "keep-alive");
}

TEST_CASE("an invalid host is refused with 400") {
  ListeningServer server;
  for (const char* host : {"a b", "a/b", "a@b", "\"a\""})
    check_refused(server, std::string("GET /echo HTTP/1.1\r\nHost: ") + host + "\r\n\r\n", 400);
  for (const char* host : {"", "x", "shop.example:8080", "[::1]:80", "127.0.0.1"})
    CHECK(exchange(server.port(), std::string("GET /echo HTTP/1.1\r\nHost: ") + host + "\r\n\r\n").status ==
          200);
}

TEST_CASE("headers that two readers could understand differently are refused with 400") {
  ListeningServer server;
  for (const char* lines : {"No colon\r\n", "Name : value\r\n", ": value\r\n", "Folded: a\r\n b\r\n",
                            "Bad\x01: x\r\n", "A: b\x01\r\n", "A: b\rc\r\n", "Host: y\r\n",
                            "X: =?UTF-8?Q?chunked?=\r\n", "Transfer-Encoding: =?UTF-8?Q?chunked?=\r\n"}) {
    check_refused(server, kPost + lines + "\r\n", 400);
  }
  check_refused(server, kPost + std::string("A: b\0c\r\n\r\n", 10), 400);
  check_refused(server, "GET /echo HTTP/1.1\r\n\r\n", 400);
}

TEST_CASE("an equals sign before a question mark alone makes no encoded word") {
  ListeningServer server;
  for (const char* referer : {"https://a.example/?q=?", "https://a.example/?a=?b?c", "=?"}) {
    RawConnection connection(server.port());
    connection.send("GET /echo HTTP/1.1\r\nHost: x\r\nReferer: " + std::string(referer) + "\r\n\r\n");
    CHECK(connection.read_reply().status == 200);
  }
}

TEST_CASE("lines that do not end with CR LF are refused at once") {
  ListeningServer server;
  for (const char* bytes : {"GET /echo HTTP/1.1\nHost: x\n\n", "GET /echo HTTP/1.1\r\nHost: x\n\r\n", "\n"}) {
    RawConnection connection(server.port());
    connection.send(bytes);
    CHECK(connection.read_reply().status == 400);
  }
}

TEST_CASE("a length given twice, beside chunked, or that is no number is refused with 400") {
  ListeningServer server;
  for (const char* lines :
       {"Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2\r\ncontent-length: 3\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n",
        "Content-Length: 2, 2\r\n", "Content-Length: -2\r\n", "Content-Length: +2\r\n",
        "Content-Length: 0x2\r\n", "Content-Length: 2 2\r\n", "Content-Length: 2.0\r\n",
        "Content-Length:\r\n"}) {
    check_refused(server, kPost + lines + "\r\n{}", 400);
  }
  check_refused(server, "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400);
}

TEST_CASE("a body that ends before its promise is never handled") {
  ListeningServer server;
  check_refused(server, kPost + "Content-Length: 3\r\n\r\n{}", 400);
  check_refused(server, kPost + "Content-Length: 3\r\n\r\n", 400);
  for (const char* chunks : {"", "2", "2\r\n", "2\r\n{}", "2\r\n{}\r\n", "2\r\n{}\r\n0", "2\r\n{}\r\n0\r\n",
                             "2\r\n{}\r\n0\r\nTrailer: x\r\n"}) {
    check_refused(server, kPost + "Transfer-Encoding: chunked\r\n\r\n" + chunks, 400);
  }
}

TEST_CASE("chunks that are malformed are refused with 400") {
  ListeningServer server;
  for (const char* chunks :
       {"x\r\n{}\r\n0\r\n\r\n", "\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2\n{}\r\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n", "1\r\n{}\r\n0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "0x2\r\n{}\r\n0\r\n\r\n",
        "000000002\r\n{}\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "2;a\x01\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n0\r\nA: b\n\r\n"}) {
    check_refused(server, kPost + "Transfer-Encoding: chunked\r\n\r\n" + chunks, 400);
  }
  check_refused(server, kPost + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(5000, 'x'), 400);
}

TEST_CASE("a body over the limit is refused with 413, before it is read") {
  ListeningServer server;
  for (const char* length : {"65537", "99999999999", "99999999999999999999999999"}) {
    check_refused(server, kPost + "Content-Length: " + length + "\r\n\r\n{}", 413);
  }
  const std::string chunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  check_refused(server, chunked + "10001\r\n", 413);
  check_refused(server, chunked + "FFFFFFFF\r\n", 413);
  std::string many;
  for (int i = 0; i < 70; ++i) many += "400\r\n" + std::string(1024, 'x') + "\r\n";
  check_refused(server, chunked + many, 413);
}

TEST_CASE("a refusal reaches a caller that is still sending its body") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send(kPost + "Content-Length: 500000\r\n\r\n" + std::string(500'000, 'x'));
  CHECK(connection.read_reply().status == 413);
}

TEST_CASE("a target that is too long is refused with 414") {
  ListeningServer server;
  check_refused(server, "GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414);
  check_refused(server, std::string(17'000, 'a'), 414);
  // Also if the head exceeds its limit before its line is parsed.
  check_refused(server, "GET /" + std::string(17'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414);
  check_refused(server, "GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nX: " + std::string(9'000, 'a'),
                414);
}

TEST_CASE("too many or too large headers are refused with 431") {
  ListeningServer server;
  check_refused(server, "GET /echo HTTP/1.1\r\nHost: x\r\nX: " + std::string(17'000, 'a') + "\r\n\r\n", 431);
  std::string many;
  for (int i = 0; i < 101; ++i) many += "X" + std::to_string(i) + ": 1\r\n";
  check_refused(server, kPost + many + "\r\n", 431);
}

TEST_CASE("headers just within the limit are accepted") {
  ListeningServer server;
  const std::string start = "GET /echo HTTP/1.1\r\nHost: x\r\nX: ";
  const std::string request = start + std::string(16 * 1024 - start.size() - 4, 'a') + "\r\n\r\n";
  CHECK(exchange(server.port(), request).status == 200);
}

TEST_CASE("a body of another type is refused with 415, and the connection stays") {
  ListeningServer server;
  RawConnection connection(server.port());
  for (int i = 0; i < 2; ++i) {
    connection.send(kPost + "Content-Type: text/xml\r\nContent-Length: 2\r\n\r\n{}");
    const RawReply reply = connection.read_reply();
    CHECK(reply.status == 415);
    CHECK(reply.body.find("ERR_HTTP_415") != std::string::npos);
  }
}

TEST_CASE("an unknown path and a wrong method are answered in the error shape, and the connection stays") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send(
      "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\nBREW /echo HTTP/1.1\r\nHost: x\r\nContent-Length: "
      "2\r\n\r\n{}");
  CHECK(connection.read_reply().body.starts_with(R"({"success":false,"code":"ERR_HTTP_404")"));
  const RawReply reply = connection.read_reply();
  CHECK(reply.status == 405);
  CHECK(reply.header("allow") == "GET, HEAD, POST, OPTIONS");
}

TEST_CASE("a refusal too is problem details for callers that accept them") {
  ListeningServer server;
  const std::string accept = "Accept: application/problem+json\r\n";
  for (const std::string& request : {"GET /nothing HTTP/1.1\r\nHost: x\r\n" + accept + "\r\n",
                                     kPost + accept + "Content-Length: x\r\n\r\n"}) {
    const RawReply reply = exchange(server.port(), request);
    CHECK(reply.header("content-type") == "application/problem+json");
    CHECK(reply.body.find("\"requestId\"") != std::string::npos);
  }
}

TEST_CASE("a request that does not arrive in time is answered 408 and never handled") {
  ListeningServer server(impatient());
  for (const std::string& part : {std::string("GET /ec"), std::string("GET /echo HTTP/1.1\r\nHost: x\r\n"),
                                  kPost + "Content-Length: 2\r\n\r\n{", kPost + "Content-Length: 2\r\n\r\n",
                                  kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"}) {
    RawConnection connection(server.port());
    connection.send(part);
    const RawReply reply = connection.read_reply();
    CHECK(reply.status == 408);
    CHECK(reply.body.find("ERR_HTTP_408") != std::string::npos);
    CHECK(reply.header("connection") == "close");
  }
  CHECK(server.handled() == 0);
}

TEST_CASE("a head has less time than a whole request") {
  http::ServerOptions options;
  options.head_deadline = 100ms;
  ListeningServer server(options);
  RawConnection silent(server.port());
  CHECK(silent.is_closed_by_peer());
  RawConnection slow(server.port());
  slow.send("GET /ec");
  CHECK(slow.read_reply().status == 408);
  RawConnection body(server.port());
  body.send(kPost + "Content-Length: 2\r\n\r\n{");
  RawConnection clock(server.port());
  CHECK(clock.is_closed_by_peer());
  body.send("}");
  CHECK(body.read_reply().status == 200);
}

TEST_CASE("a byte now and then does not prolong the time for a request") {
  http::ServerOptions options = impatient();
  options.idle_timeout = 10ms;
  ListeningServer server(options);
  RawConnection connection(server.port());
  connection.send(kPost + "Content-Length: 1000\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    connection.send("x");
    // An idle connection is the clock: it is closed after its 10 ms.
    RawConnection idle(server.port());
    CHECK(idle.is_closed_by_peer());
  }
  CHECK(connection.read_reply().status == 408);
  CHECK(server.handled() == 0);
}

TEST_CASE("an idle connection is closed without a reply") {
  ListeningServer server(impatient());
  RawConnection fresh(server.port());
  CHECK(fresh.is_closed_by_peer());
  RawConnection used(server.port());
  used.send("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(used.read_reply().status == 200);
  CHECK(used.is_closed_by_peer());
}

TEST_CASE("a handler may take longer than a request may take to arrive") {
  ListeningServer server(impatient());
  RawConnection slow(server.port());
  slow.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  server.await_waiting(1);
  // Another connection that runs into its deadline shows that the time has passed.
  RawConnection idle(server.port());
  CHECK(idle.is_closed_by_peer());
  server.let_go();
  CHECK(slow.read_reply().status == 200);
}

TEST_CASE("a reply that the caller does not read is cut off in time") {
  http::ServerOptions options;
  options.send_window = 20ms;
  ListeningServer server(options);
  RawConnection connection(server.port());
  connection.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  connection.read_reply_without_body();
  while (server.server().open_connections() > 0) std::this_thread::yield();
}

TEST_CASE("a stopping server says so to a request that has not arrived") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n" + kPost);
  CHECK(connection.read_reply().status == 200);
  server.server().stop(20s);
  const RawReply reply = connection.read_reply();
  CHECK(reply.status == 503);
  CHECK(reply.header("retry-after") == "1");
}
