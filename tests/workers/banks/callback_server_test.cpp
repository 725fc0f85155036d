#include "workers/banks/callback_server.h"

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HTTPSClientSession.h>
#include <Poco/Net/NetException.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/servers/raw_http.h"
#include "tests/workers/banks/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

constexpr const char* kHost = "localhost";
using Headers = std::map<std::string, std::string>;
const Headers kVerified{{"X-Client-Cert-Verified", "SUCCESS"}, {"X-Client-Cert-CN", "bank.example"}};
const std::string kVerifiedLines = "X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-CN: bank.example\r\n";

struct ServerFixture : BankFixture {
  explicit ServerFixture(bool with_tls, const std::string& proxies = "")
      : files(bank.authority.issue(kHost)),
        caller(bank.authority.issue("bank.example")),
        stranger(strangers.issue("bank.example")) {
    options.listen = *HostPort::parse("127.0.0.1:0");
    if (with_tls) {
      std::filesystem::copy_file(bank.authority.ca_file(), client_cas());
      options.tls = {.certificate = files.cert_file, .key = files.key_file, .client_cas = {client_cas()}};
    }
    if (!proxies.empty()) options.proxies = {parsed<Cidr>(proxies)};
    server = std::make_unique<CallbackServer>(options, handler, ledger.clock, ledger.entropy);
  }

  std::string client_cas() const { return (ledger.directory.path() / "client_cas.pem").string(); }
  std::string path() const { return "/" + connection.text() + "/" + kCallbackSecret + "/pix"; }
  static std::string body() {
    return R"({"pix":[{"endToEndId":")" + sample_end_to_end_id().text() + R"("}]})";
  }
  std::size_t kept() const { return database.payments_due(ledger.clock.now(), 10).size(); }

  // Returns the status, or 0 if TLS was refused.
  int post(Poco::Net::HTTPClientSession& session, const std::string& content,
           const Headers& headers = {}) const {
    try {
      session.setTimeout(Poco::Timespan(20, 0));
      Poco::Net::HTTPRequest request("POST", path(), "HTTP/1.1");
      request.setContentLength(static_cast<std::streamsize>(content.size()));
      for (const auto& [name, value] : headers) request.add(name, value);
      session.sendRequest(request) << content;
      Poco::Net::HTTPResponse response;
      session.receiveResponse(response);
      return response.getStatus();
    } catch (const Poco::Exception&) {
      return 0;
    }
  }
  int post_tls(const CertificateFiles* shown, const std::string& content = body()) const {
    Poco::Net::Context::Params params;
    params.caLocation = bank.authority.ca_file();
    params.verificationMode = Poco::Net::Context::VERIFY_STRICT;
    if (shown) {
      params.certificateFile = shown->cert_file;
      params.privateKeyFile = shown->key_file;
    }
    Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_CLIENT_USE, params);
    Poco::Net::HTTPSClientSession session(kHost, server->port(), context);
    return post(session, content);
  }
  int post_plain(const Headers& headers) const {
    Poco::Net::HTTPClientSession session("127.0.0.1", server->port());
    return post(session, body(), headers);
  }
  // A POST that a proxy sends, without its body.
  std::string head(const std::string& target, const std::string& lines) const {
    return "POST " + target + " HTTP/1.1\r\nHost: x\r\n" + kVerifiedLines + lines + "\r\n";
  }
  RawReply send(const std::string& bytes) const { return exchange(server->port(), bytes); }
  // Call after the server has stopped.
  std::int64_t counted(const std::string& result, const std::string& of = "none") const {
    return counts->counts[{of, stores::BankCounter::kCallbacks, result, ""}];
  }
  Poco::Net::StreamSocket connect() const {
    return Poco::Net::StreamSocket(Poco::Net::SocketAddress("127.0.0.1", server->port()));
  }

  const TestAuthority strangers;
  const CertificateFiles files;
  const CertificateFiles caller;
  const CertificateFiles stranger;
  const std::shared_ptr<UnsavedBankCounts> counts = std::make_shared<UnsavedBankCounts>();
  BankMeters callback_meters{ledger.directory.path(), database, ledger.logger, counts};
  CallbackHandler handler{{.clock = ledger.clock,
                           .logger = agents_log.logger,
                           .banks = banks,
                           .database = database,
                           .meters = callback_meters,
                           .when_kept = [] {}}};
  CallbackServerOptions options;
  std::unique_ptr<CallbackServer> server;
};

}  // namespace

TEST_CASE("a bank that shows its certificate may call back, and no other caller passes the handshake") {
  ServerFixture fixture(true);
  CHECK(fixture.post_tls(nullptr) == 0);
  CHECK(fixture.post_tls(&fixture.stranger) == 0);
  CHECK(fixture.post_plain(kVerified) == 0);
  CHECK(fixture.kept() == 0);
  CHECK(fixture.post_tls(&fixture.caller) == 200);
  CHECK(fixture.kept() == 1);
  CHECK(fixture.post_tls(&fixture.files) == 403);
  // Its sender gets the reason, however large the body.
  CHECK(fixture.post_tls(&fixture.caller, std::string(3 * kCallbackBytesMax, ' ')) == 413);
}

TEST_CASE(
    "a listener reads its files anew without a call that it misses, and keeps the old where they are none") {
  ServerFixture fixture(true);
  CHECK(fixture.post_tls(&fixture.stranger) == 0);
  const auto silent = fixture.connect();
  std::ofstream(fixture.client_cas(), std::ios::app) << content_of(fixture.strangers.ca_file());
  CHECK(fixture.server->read_anew());
  CHECK(fixture.post_tls(&fixture.stranger) == 200);
  CHECK(fixture.post_tls(&fixture.caller) == 200);

  const auto refuses = [&] {
    CHECK_THROWS_AS(fixture.server->read_anew(), std::runtime_error);
    CHECK(fixture.post_tls(&fixture.stranger) == 200);
  };
  const auto other = fixture.bank.authority.issue(kHost);
  std::filesystem::copy_file(other.cert_file, fixture.files.cert_file,
                             std::filesystem::copy_options::overwrite_existing);
  refuses();  // its key is another
  std::filesystem::copy_file(other.key_file, fixture.files.key_file,
                             std::filesystem::copy_options::overwrite_existing);
  CHECK(fixture.server->read_anew());
  CHECK(fixture.post_tls(&fixture.caller) == 200);
  std::ofstream(fixture.client_cas()) << "nonsense";
  refuses();
  std::filesystem::remove(fixture.files.cert_file);
  refuses();
  ServerFixture behind(false, "127.0.0.0/8");
  CHECK_FALSE(behind.server->read_anew());
}

TEST_CASE("only a proxy's word on certificates is taken") {
  ServerFixture behind(false, "127.0.0.0/8");
  CHECK(behind.post_plain({}) == 403);
  CHECK(behind.post_plain({{"X-Client-Cert-Verified", "NONE"}, {"X-Client-Cert-CN", "bank.example"}}) == 403);
  CHECK(behind.post_plain({{"X-Client-Cert-Verified", "SUCCESS"}, {"X-Client-Cert-CN", "other"}}) == 403);
  CHECK(behind.kept() == 0);
  CHECK(behind.send(behind.head(behind.path(), "X-Client-Cert-CN: other\r\n")).status == 403);
  CHECK(behind.kept() == 0);
  CHECK(behind.post_plain(kVerified) == 200);
  CHECK(behind.kept() == 1);
  ServerFixture elsewhere(false, "10.0.0.0/8");
  CHECK(elsewhere.post_plain(kVerified) == 403);
  CHECK(elsewhere.kept() == 0);
}

TEST_CASE("a silent client takes no other's room, and is disconnected with the server") {
  ServerFixture fixture(true);
  std::vector<Poco::Net::StreamSocket> silent;
  for (std::size_t i = 0; i < CallbackServer::kOfAddressMax + 4; ++i) silent.push_back(fixture.connect());
  CHECK(fixture.post_tls(&fixture.caller) == 200);
  fixture.server->stop();
  char byte = 0;
  for (auto& socket : silent) {
    socket.setReceiveTimeout(Poco::Timespan(20, 0));
    int received = -1;
    try {
      received = socket.receiveBytes(&byte, 1);
    } catch (const Poco::Net::ConnectionResetException&) {
      received = 0;
    }
    CHECK(received == 0);
  }
  CHECK(fixture.counted("broken_off") >= std::int64_t{CallbackServer::kOfAddressMax});
  CHECK(fixture.counted("stored", fixture.connection.text()) == 1);
}

TEST_CASE("a call is taken however its request is written") {
  ServerFixture behind(false, "127.0.0.0/8");
  const auto path = behind.path();
  const auto length = "Content-Length: " + std::to_string(behind.body().size()) + "\r\n";
  std::ostringstream chunked;
  chunked << std::hex << behind.body().size() << "\r\n" << behind.body() << "\r\n0\r\n\r\n";
  for (const auto& request :
       {behind.head(path, length) + behind.body(),
        behind.head(path + "?ignorar=/pix", length) + behind.body(),
        behind.head("http://x" + path, length) + behind.body(),
        behind.head(path, "connection: keep-alive\r\ncontent-length: " +
                              std::to_string(behind.body().size()) + "\r\n") +
            behind.body(),
        "POST " + path + " HTTP/1.0\r\n" + kVerifiedLines + length + "\r\n" + behind.body(),
        behind.head(path, "Transfer-Encoding: chunked\r\n") + chunked.str()}) {
    INFO(request);
    const auto reply = behind.send(request);
    CHECK(reply.status == 200);
    CHECK(reply.header("connection") == "close");
    CHECK(reply.body.empty());
  }
  RawConnection waiting(behind.server->port());
  waiting.send(behind.head(path, length + "Expect: 100-continue\r\n"));
  CHECK(waiting.read_reply().status == 100);
  waiting.send(behind.body());
  CHECK(waiting.read_reply().status == 200);
}

TEST_CASE("a call that is refused gets its status, is counted once, and too large a body is logged") {
  ServerFixture behind(false, "127.0.0.0/8");
  const auto path = behind.path();
  const auto of = behind.connection.text();
  const auto too_long = "Content-Length: " + std::to_string(kCallbackBytesMax + 1) + "\r\n";
  CHECK(behind.send(behind.head(path, too_long)).status == 413);
  CHECK(behind.agents_log.has("too_large"));
  CHECK(behind.send(behind.head(path, too_long + "Expect: 100-continue\r\n")).status == 413);
  CHECK(behind.send(behind.head(path, "Transfer-Encoding: chunked\r\n") + "FFFFF\r\n").status == 413);
  CHECK(behind.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + kVerifiedLines + "\r\n").status == 405);
  CHECK(behind.send(behind.head(path, "Content-Length: 0\r\n")).status == 400);
  CHECK(behind.send(behind.head(path, "")).status == 400);
  CHECK(behind.send(behind.head(path + "/", too_long)).status == 404);
  CHECK(behind.send(behind.head("/" + of + "/" + std::string(64, '0'), "")).status == 404);
  CHECK(behind.send("POST " + path + " HTTP/1.1\r\n" + kVerifiedLines + "\r\n").status == 400);  // no Host
  CHECK(behind.post_plain({}) == 403);
  behind.server->stop();
  CHECK(behind.counted("too_large", of) == 3);
  CHECK(behind.counted("wrong_method", of) == 1);
  CHECK(behind.counted("no_json", of) == 2);
  CHECK(behind.counted("not_found", of) == 1);
  CHECK(behind.counted("not_found") == 1);
  CHECK(behind.counted("broken_off") == 1);
  CHECK(behind.counted("no_certificate") == 1);
  CHECK(behind.counted("stored", of) == 0);
}
