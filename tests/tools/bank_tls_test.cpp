// The advice of `pixledger connection check` if TLS with a bank fails, for each cause with a real peer.
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/process.h"

using namespace pixledger;
using namespace pixledger::tests;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

void openssl(const Words& words) {
  const auto result = run_process("/usr/bin/openssl", words);
  INFO(result.out << result.err);
  REQUIRE(result.code == 0);
}

// An authority, one below it, and the certificate of `localhost` that the latter has issued.
struct Certificates {
  Certificates() {
    openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Raiz", "-keyout",
             path("root.key"), "-out", path("root.pem")});
    issue("middle", "/CN=Autoridade do banco", "root", "basicConstraints=critical,CA:TRUE\n", "2");
    issue("leaf", "/CN=localhost", "middle", "subjectAltName=DNS:localhost\n", "2");
    issue("ended", "/CN=localhost", "middle", "subjectAltName=DNS:localhost\n", "-1");
    issue("other", "/CN=outro.example", "middle", "subjectAltName=DNS:outro.example\n", "2");
  }
  std::string path(const std::string& file) const { return (directory.path() / file).string(); }
  void issue(const std::string& name, const std::string& subject, const std::string& by,
             const std::string& extensions, const std::string& days) const {
    std::ofstream(path("extensions")) << extensions;
    openssl({"req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", path(name + ".key"), "-out",
             path("request")});
    openssl({"x509", "-req", "-in", path("request"), "-CA", path(by + ".pem"), "-CAkey", path(by + ".key"),
             "-CAcreateserial", "-extfile", path("extensions"), "-days", days, "-out", path(name + ".pem")});
  }

  TemporaryDirectory directory;
};

// A TLS server with given settings, which answers every request.
class TlsPeer {
 public:
  TlsPeer(const Certificates& files, const std::string& certificate, Words how = {})
      : process_("/usr/bin/openssl", words(files, certificate, std::move(how))) {
    REQUIRE(process_.wait_for_out("ACCEPT 127.0.0.1:"));
    REQUIRE(process_.wait_for_out("\n"));
    const auto at = process_.out().find("127.0.0.1:") + 10;
    port_ = process_.out().substr(at, process_.out().find('\n', at) - at);
  }
  const std::string& port() const { return port_; }

 private:
  static Words words(const Certificates& files, const std::string& certificate, Words how) {
    Words all{"s_server",    "-accept",
              "127.0.0.1:0", "-www",
              "-cert",       files.path(certificate + ".pem"),
              "-key",        files.path(certificate + ".key")};
    for (auto& word : how) all.push_back(std::move(word));
    return all;
  }

  Process process_;
  std::string port_;
};

// A server that answers always with these bytes.
class RawPeer {
 public:
  explicit RawPeer(std::string answer)
      : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener_, where, size) == 0);
    REQUIRE(::listen(listener_, 8) == 0);
    REQUIRE(::getsockname(listener_, where, &size) == 0);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~RawPeer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  const std::string& port() const { return port_; }

 private:
  void serve() const {
    while (true) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      std::array<char, 4096> buffer{};
      if (::recv(client, buffer.data(), buffer.size(), 0) > 0)
        (void)::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      while (::recv(client, buffer.data(), buffer.size(), 0) > 0) {
      }
      ::close(client);
    }
  }

  const std::string answer_;
  const int listener_;
  std::string port_;
  std::thread thread_;
};

// TLS 1.2, ECDHE-RSA-AES128-GCM-SHA256, and no extension, so not that of RFC 5746.
std::string hello_without_renegotiation() {
  std::string hello("\x03\x03", 2);
  hello += std::string(32, 'r');
  hello += std::string("\x00\xc0\x2f\x00", 4);
  const auto size = static_cast<char>(hello.size());
  return std::string("\x16\x03\x03\x00", 4) + static_cast<char>(hello.size() + 4) +
         std::string("\x02\x00\x00", 3) + size + hello;
}

// The first step of a check of a bank at that port.
struct TlsStep {
  std::string outcome, found, advice;
};
TlsStep check(const std::string& port, const Words& more = {}, const Words& environment = {}) {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto secret = (pixledger.directory() / "secret").string();
  std::ofstream(secret) << "segredo";
  const auto url = "https://localhost:" + port;
  pixledger.done({"connection",   "add",       "--project",
                  project,        "--env",     "live",
                  "--alias",      "banco",     "--provider",
                  "api-pix",      "--psp",     "generic",
                  "--base-url",   url + "/v2", "--token-url",
                  url + "/token", "--pix-key", "loja@example.com",
                  "--client-id",  "id",        "--client-secret-file",
                  secret});
  Words words{"connection", "check", "--project", project, "--connection", "banco", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run_process(built_program("pixledger"), pixledger.arguments(words), environment);
  INFO(result.out << result.err);
  REQUIRE(result.code == 1);
  return {json_at(result.out, "/0/ok"), json_at(result.out, "/0/found"), json_at(result.out, "/0/advice")};
}

}  // namespace

TEST_CASE("a bank that leaves out a certificate of its chain is found out, and can be trusted by that one") {
  const Certificates files;
  const TlsPeer bank(files, "leaf");
  const auto step = check(bank.port(), {"--ca-file", files.path("root.pem")});
  CHECK(step.outcome == "false");
  CHECK_THAT(step.found, Contains("1 sent, issued by CN=Autoridade do banco"));
  CHECK_THAT(step.advice, Contains("sends no certificate but its own") && Contains("--ca-file"));
  CHECK(check(bank.port(), {"--ca-file", files.path("middle.pem")}).outcome == "true");
  const TlsPeer whole(files, "leaf", {"-cert_chain", files.path("middle.pem")});
  CHECK(check(whole.port(), {"--ca-file", files.path("root.pem")}).outcome == "true");
  CHECK_THAT(check(whole.port()).advice, Contains("authority") && Contains("--ca-file"));
}

TEST_CASE("the problem of a bank's certificate is named") {
  const Certificates files;
  const Words trusting{"--ca-file", files.path("middle.pem")};
  const TlsPeer ended(files, "ended");
  const auto step = check(ended.port(), trusting);
  CHECK_THAT(step.found, Contains("expired"));
  CHECK_THAT(step.advice, Contains("date"));
  const TlsPeer other(files, "other");
  CHECK_THAT(check(other.port(), trusting).advice, Contains("for another host"));
}

TEST_CASE("the report of a bank's old TLS names its weakness, and the option that allows it") {
  const Certificates files;
  const Words trusting{"--ca-file", files.path("middle.pem")};
  SECTION("no secure renegotiation") {
    const RawPeer bank(hello_without_renegotiation());
    const auto step = check(bank.port());
    CHECK_THAT(step.found, Contains("unsafe legacy renegotiation disabled"));
    CHECK_THAT(step.advice, Contains("RFC 5746") && Contains("Old TLS"));
    const auto settings = files.path("openssl.cnf");
    std::ofstream(settings) << "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                               "Options = UnsafeLegacyServerConnect\n";
    CHECK_THAT(check(bank.port(), {}, {"OPENSSL_CONF=" + settings}).found,
               !Contains("unsafe legacy renegotiation disabled"));
  }
  SECTION("a group that is too small") {
    const auto group = files.path("group.pem");
    openssl({"genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:modp_1536", "-out", group});
    const TlsPeer bank(files, "leaf",
                       {"-dhparam", group, "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-tls1_2"});
    const auto step = check(bank.port(), trusting);
    CHECK_THAT(step.found, Contains("dh key too small"));
    CHECK_THAT(step.advice, Contains("weaker") && Contains("Old TLS"));
    const auto settings = files.path("openssl.cnf");
    std::ofstream(settings) << "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                               "CipherString = DEFAULT:@SECLEVEL=1\n";
    CHECK(check(bank.port(), trusting, {"OPENSSL_CONF=" + settings}).outcome == "true");
  }
  SECTION("nothing as new as TLS 1.2") {
    const TlsPeer bank(files, "leaf", {"-tls1_1", "-cipher", "ALL:@SECLEVEL=0"});
    CHECK_THAT(check(bank.port(), trusting).advice, Contains("TLS 1.2"));
  }
}

TEST_CASE("a peer without TLS is distinguished from a closed port") {
  const RawPeer plain("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  CHECK_THAT(check(plain.port()).advice, Contains("does not speak TLS"));
  CHECK_THAT(check("1").found, Contains("connection refused"));
}
