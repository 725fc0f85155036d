#include "base/http/transport/server.h"

#include <Poco/Net/NetException.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "base/http/transport/reply_bytes.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_certificates.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace std::chrono_literals;
using tests::exchange;
using tests::ListeningServer;
using tests::RawConnection;
using tests::RawReply;

namespace {

const std::string kGetEcho = "GET /echo?a=b HTTP/1.1\r\nHost: x\r\n\r\n";

bool is_listening(std::uint16_t port) {
  try {
    RawConnection connection(port);
    return true;
  } catch (const Poco::Net::ConnectionRefusedException&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a request is answered with the headers of every reply") {
  ListeningServer server;
  const RawReply reply = exchange(server.port(), kGetEcho);
  CHECK(reply.status == 200);
  CHECK(reply.body == "GET /echo?a=b ");
  CHECK(reply.header("content-type") == "application/json");
  CHECK(reply.header("content-length") == std::to_string(reply.body.size()));
  CHECK(reply.header("cache-control") == "no-store");
  CHECK(reply.header("x-content-type-options") == "nosniff");
  CHECK(reply.header("date") == "Mon, 02 Jan 2023 03:04:05 GMT");
  CHECK(reply.header("connection") == "keep-alive");
  CHECK(reply.header("keep-alive") == "timeout=75");
}

TEST_CASE("a header that could be read as another one, or as none, is left out of a reply") {
  for (const char odd : {'\r', '\n', '\0', '\x7f', '\xc3'}) {
    std::string bytes;
    http::Reply reply;
    reply.headers = {{"Location", std::string("a") + odd}, {"Allow", "GET"}};
    http::append_reply_head(reply, http::ReplyFraming{}, bytes);
    CHECK(bytes.find("Location") == std::string::npos);
    CHECK(bytes.find("Allow: GET\r\n") != std::string::npos);
  }
}

TEST_CASE("a connection serves one request after the other, each with an id of its own") {
  ListeningServer server;
  RawConnection connection(server.port());
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    connection.send(kGetEcho);
    const RawReply reply = connection.read_reply();
    CHECK(reply.status == 200);
    const std::string id = reply.header("x-request-id");
    CHECK(id.size() == 28);
    CHECK(id.starts_with("req_"));
    CHECK(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", 4) == std::string::npos);
    ids.insert(id);
  }
  CHECK(ids.size() == 100);
}

TEST_CASE("a caller's request id is kept when it is acceptable") {
  ListeningServer server;
  const auto id_for = [&](const std::string& lines) {
    return exchange(server.port(), "GET /nothing HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n")
        .header("x-request-id");
  };
  CHECK(id_for("X-Request-Id: A.b_c-9\r\n") == "A.b_c-9");
  CHECK(id_for("x-request-id:  " + std::string(64, 'a') + " \r\n") == std::string(64, 'a'));
  for (const std::string& lines :
       {"X-Request-Id: " + std::string(65, 'a') + "\r\n", std::string("X-Request-Id: a b\r\n"),
        std::string("X-Request-Id:\r\n"), std::string("X-Request-Id: é\r\n"),
        std::string("X-Request-Id: a\r\nX-Request-Id: b\r\n")}) {
    CHECK(id_for(lines).starts_with("req_"));
  }
}

TEST_CASE("requests sent ahead are answered in order") {
  ListeningServer server;
  RawConnection connection(server.port());
  std::string ahead;
  for (int i = 0; i < 200; ++i) {
    const std::string body = "{\"i\":" + std::to_string(i) + "}";
    ahead += "POST /echo?" + std::to_string(i) +
             " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  connection.send(ahead);
  for (int i = 0; i < 200; ++i) {
    CHECK(connection.read_reply().body ==
          "POST /echo?" + std::to_string(i) + " {\"i\":" + std::to_string(i) + "}");
  }
}

TEST_CASE("bytes may arrive one at a time, and an empty line before a request is ignored") {
  ListeningServer server;
  RawConnection connection(server.port());
  const std::string request =
      "\r\nPOST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=\"y\"\r\n{\"a\r\nA\r\n\":\"bcdefg\"\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n";
  for (const char byte : request + kGetEcho) connection.send(std::string_view(&byte, 1));
  CHECK(connection.read_reply().body == "POST /echo? {\"a\":\"bcdefg\"}");
  CHECK(connection.read_reply().body == "GET /echo?a=b ");
}

TEST_CASE("a body as large as the limit is accepted, in either framing") {
  ListeningServer server;
  const std::string body(64 * 1024, 'x');
  RawConnection connection(server.port());
  connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n" + body);
  CHECK(connection.read_reply().body == "POST /echo? " + body);
  connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" + body +
                  "\r\n0\r\n\r\n");
  CHECK(connection.read_reply().body == "POST /echo? " + body);
}

TEST_CASE("a request without a length has no body") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n\r\n");
  CHECK(connection.read_reply().body == "POST /echo? ");
  connection.send(kGetEcho);
  CHECK(connection.read_reply().status == 200);
}

TEST_CASE(
    "a caller that expects 100 gets it before the body, but not if the body has arrived or is refused") {
  ListeningServer server;
  const std::string head = "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n";
  for (const std::string& framing :
       {std::string("Content-Length: 2\r\n\r\n"), std::string("Transfer-Encoding: chunked\r\n\r\n")}) {
    const std::string body = framing.starts_with("T") ? "2\r\n{}\r\n0\r\n\r\n" : "{}";
    RawConnection connection(server.port());
    connection.send(head + framing);
    CHECK(connection.read_reply_without_body().status == 100);
    connection.send(body);
    CHECK(connection.read_reply().body == "POST /echo? {}");
    connection.send(head + framing + body);
    CHECK(connection.read_reply().status == 200);
  }
  CHECK(exchange(server.port(), head + "Content-Length: 65537\r\n\r\n").status == 413);
}

TEST_CASE("HEAD is answered like GET without the body") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\nHEAD /nothing HTTP/1.1\r\nHost: x\r\n\r\n" +
                  kGetEcho);
  const RawReply head = connection.read_reply_without_body();
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == std::to_string(std::string("HEAD /echo? ").size()));
  CHECK(connection.read_reply_without_body().status == 404);
  CHECK(connection.read_reply().body == "GET /echo?a=b ");
}

TEST_CASE("OPTIONS has neither body nor length") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("OPTIONS /echo HTTP/1.1\r\nHost: x\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n" +
                  kGetEcho);
  const RawReply reply = connection.read_reply();
  CHECK(reply.status == 204);
  CHECK(reply.header("allow") == "GET, HEAD, POST, OPTIONS");
  CHECK(reply.headers.count("content-length") == 0);
  CHECK(reply.headers.count("content-type") == 0);
  CHECK(connection.read_reply().status == 204);
  CHECK(connection.read_reply().status == 200);
}

TEST_CASE("the connection closes when the caller says so, and HTTP/1.0 closes unless it asks to keep it") {
  ListeningServer server;
  for (const char* request :
       {"GET /echo HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n\r\n", "GET /echo HTTP/1.0\r\n\r\n"}) {
    RawConnection connection(server.port());
    connection.send(request);
    CHECK(connection.read_reply().header("connection") == "close");
    CHECK(connection.is_closed_by_peer());
  }
  RawConnection connection(server.port());
  for (int i = 0; i < 2; ++i) {
    connection.send("GET /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    CHECK(connection.read_reply().header("connection") == "keep-alive");
  }
}

TEST_CASE("a kept connection says for how long it may be idle, which is longer than balancers keep theirs") {
  CHECK(http::ServerOptions().idle_timeout > 60s);
  http::ServerOptions options;
  options.idle_timeout = 2s;
  ListeningServer server(options);
  RawConnection connection(server.port());
  connection.send(kGetEcho);
  const auto reply = connection.read_reply();
  CHECK(reply.header("connection") == "keep-alive");
  CHECK(reply.header("keep-alive") == "timeout=2");
  CHECK(connection.is_closed_by_peer());

  RawConnection ending(server.port());
  ending.send("GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(ending.read_reply().header("keep-alive") == "");
}

TEST_CASE("a target that names another host than the Host header is refused") {
  ListeningServer server;
  for (const char* target :
       {"http://y/echo", "http://x:8080/echo", "http:///echo", "http://a@x/echo", "https://x:80/"}) {
    CAPTURE(target);
    RawConnection connection(server.port());
    connection.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(connection.read_reply().status == 400);
  }
}

TEST_CASE("a target may name scheme and host") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send(
      "GET http://x:80/echo?a HTTP/1.1\r\nHost: x\r\n\r\nGET HTTPS://x?a HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(connection.read_reply().body == "GET /echo?a ");
  CHECK(connection.read_reply().status == 404);
}

TEST_CASE("a handler that throws is a fault: 503, logged without the query, and the server lives on") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("GET /fault?email=ana@example.com HTTP/1.1\r\nHost: x\r\nX-Request-Id: abc\r\n\r\n" +
                  kGetEcho);
  const RawReply reply = connection.read_reply();
  CHECK(reply.status == 503);
  CHECK(reply.header("retry-after") == "1");
  CHECK(reply.body.find(R"("code":"ERR_HTTP_503")") != std::string::npos);
  CHECK(server.faults() == std::vector<std::string>{"abc /fault: disk full"});
  CHECK(connection.read_reply().status == 200);
}

TEST_CASE("stopping closes idle connections and lets a running request finish") {
  ListeningServer server;
  RawConnection idle(server.port());
  idle.send(kGetEcho);
  CHECK(idle.read_reply().status == 200);
  RawConnection running(server.port());
  running.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  server.await_waiting(1);

  std::thread stopping([&] { server.server().stop(20s); });
  CHECK(idle.is_closed_by_peer());
  CHECK_FALSE(is_listening(server.port()));
  server.let_go();
  const RawReply reply = running.read_reply();
  CHECK(reply.status == 200);
  CHECK(reply.header("connection") == "close");
  CHECK(running.is_closed_by_peer());
  stopping.join();
}

TEST_CASE("a draining server serves on, and each answer is the last of its connection") {
  ListeningServer server;
  RawConnection before(server.port());
  before.send(kGetEcho);
  CHECK(before.read_reply().header("connection") == "keep-alive");
  server.server().begin_draining();
  before.send(kGetEcho);
  const RawReply last = before.read_reply();
  CHECK(last.status == 200);
  CHECK(last.header("connection") == "close");
  CHECK(last.header("keep-alive").empty());
  CHECK(before.is_closed_by_peer());
  const auto anew = exchange(server.port(), kGetEcho);
  CHECK(anew.status == 200);
  CHECK(anew.header("connection") == "close");
}

TEST_CASE("stopping without grace cuts off a reply that the caller does not read") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server.handled() == 0) std::this_thread::yield();
  server.server().stop(0ms);
  CHECK_THROWS(connection.read_reply());
}

TEST_CASE("a large reply arrives as a whole") {
  ListeningServer server;
  CHECK(exchange(server.port(), "GET /large HTTP/1.1\r\nHost: x\r\n\r\n").body.size() ==
        ListeningServer::kLargeBytes);
}

TEST_CASE("with a certificate the same server speaks TLS") {
  const tests::TestAuthority authority;
  const tests::CertificateFiles files = authority.issue("localhost");
  http::ServerOptions options;
  options.tls_cert_file = files.cert_file;
  options.tls_key_file = files.key_file;
  options.idle_timeout = 1s;
  ListeningServer server(options);

  RawConnection connection(server.port(), RawConnection::Security::kTls);
  connection.send(kGetEcho + kGetEcho);
  CHECK(connection.read_reply().body == "GET /echo?a=b ");
  CHECK(connection.read_reply().body == "GET /echo?a=b ");

  RawConnection plain(server.port());
  plain.send(kGetEcho);
  CHECK_THROWS(plain.read_reply());
  RawConnection silent(server.port());
  CHECK_THROWS(silent.read_reply());

  RawConnection refused(server.port(), RawConnection::Security::kTls);
  refused.send("nonsense\r\n\r\n");
  CHECK(refused.read_reply().status == 400);
}

TEST_CASE("a certificate without a key, or a missing one, is a fault at the start") {
  http::ServerOptions options;
  options.tls_cert_file = "/nonexistent/cert.pem";
  CHECK_THROWS(ListeningServer(options));
  options.tls_key_file = "/nonexistent/key.pem";
  CHECK_THROWS_WITH(ListeningServer(options),
                    "cannot read the certificate /nonexistent/cert.pem: No such file or directory");
}

TEST_CASE("an invalid certificate is named in the error") {
  const tests::TemporaryDirectory directory;
  const auto file = (directory.path() / "cert.pem").string();
  std::ofstream(file) << "nonsense";
  http::ServerOptions options;
  options.tls_cert_file = options.tls_key_file = file;
  CHECK_THROWS_WITH(ListeningServer(options), Catch::StartsWith("cannot use the certificate " + file));
}

TEST_CASE("an address that cannot be listened on is named with the reason") {
  ListeningServer server;
  http::ServerOptions options;
  options.port = server.port();
  CHECK_THROWS_WITH(ListeningServer(options), "cannot listen on 127.0.0.1:" + std::to_string(server.port()) +
                                                  ": Address already in use");
  options.host = "no-such-host.invalid";
  CHECK_THROWS_WITH(ListeningServer(options), Catch::EndsWith("there is no such host"));
}

TEST_CASE(
    "a reply that is made while it is sent arrives in chunks, and to HTTP/1.0 until the connection closes") {
  ListeningServer server;
  RawConnection connection(server.port());
  connection.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n" + kGetEcho);
  const RawReply head = connection.read_stream_head();
  CHECK(head.header("transfer-encoding") == "chunked");
  CHECK(head.header("content-length").empty());
  std::string body;
  for (std::string chunk = connection.read_chunk(); !chunk.empty(); chunk = connection.read_chunk())
    body += chunk;
  CHECK(body == ListeningServer::kStreamed);
  CHECK(connection.read_reply().status == 200);

  RawConnection old(server.port());
  old.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const RawReply old_head = old.read_reply_without_body();
  CHECK(old_head.header("transfer-encoding").empty());
  CHECK(old_head.header("connection") == "close");
  CHECK(old.read_to_end() == ListeningServer::kStreamed);

  RawConnection only_head(server.port());
  only_head.send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n" + kGetEcho);
  CHECK(only_head.read_reply_without_body().status == 200);
  CHECK(only_head.read_reply().status == 200);
}

TEST_CASE("a request refused by its head has its body neither read nor asked for") {
  ListeningServer server;
  RawConnection expects(server.port());
  expects.send("POST /forbidden HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n");
  const RawReply refused = expects.read_reply();
  CHECK(refused.status == 403);
  CHECK(refused.header("connection") == "close");
  RawConnection endless(server.port());
  endless.send("POST /forbidden HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(endless.read_reply().status == 403);
  // A body that came along is skipped.
  RawConnection whole(server.port());
  whole.send("POST /forbidden HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}" + kGetEcho);
  CHECK(whole.read_reply().status == 403);
  CHECK(whole.read_reply().status == 200);
  CHECK(server.handled() == 1);
}

TEST_CASE("many connections are served by several loops") {
  http::ServerOptions options;
  options.loops = 3;
  ListeningServer server(options);
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < 200; ++i) connections.push_back(std::make_unique<RawConnection>(server.port()));
  for (int round = 0; round < 3; ++round) {
    for (const auto& connection : connections) connection->send(kGetEcho);
    for (const auto& connection : connections) REQUIRE(connection->read_reply().status == 200);
  }
  CHECK(server.server().open_connections() == connections.size());
  connections.clear();
  while (server.server().open_connections() > 0) std::this_thread::yield();
}
