#include <Poco/Net/Context.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/X509Certificate.h>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/http/transport/served_certificate.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_certificates.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

const std::string kGetEcho = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";

http::ServerOptions options_of(const CertificateFiles& files) {
  http::ServerOptions options;
  options.tls_cert_file = files.cert_file;
  options.tls_key_file = files.key_file;
  return options;
}

// The serial number of the certificate that a new connection gets. The caller accepts only `ciphers` of
// TLS 1.2, if any.
std::string serial_shown(std::uint16_t port, const std::string& ciphers = "") {
  using Poco::Net::Context;
  Context::Ptr context = new Context(Context::TLS_CLIENT_USE, "", "", "", Context::VERIFY_NONE, 9, false,
                                     ciphers.empty() ? "ALL" : ciphers);
  if (!ciphers.empty()) context->disableProtocols(Context::PROTO_TLSV1_3);
  Poco::Net::SecureStreamSocket socket(Poco::Net::SocketAddress("127.0.0.1", port), context);
  socket.completeHandshake();
  return socket.peerCertificate().serialNumber();
}

void copy_over(const std::string& from, const std::string& to) {
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("a reloaded certificate serves new connections, and open ones go on") {
  const TestAuthority authority;
  const auto files = authority.issue("localhost");
  ListeningServer server(options_of(files));
  RawConnection open(server.port(), RawConnection::Security::kTls);
  open.send(kGetEcho);
  CHECK(open.read_reply().status == 200);
  const auto old = serial_shown(server.port());

  const auto renewed = authority.issue("localhost");
  copy_over(renewed.cert_file, files.cert_file);
  copy_over(renewed.key_file, files.key_file);
  CHECK(serial_shown(server.port()) == old);
  server.server().certificate()->read_anew();
  CHECK(serial_shown(server.port()) != old);
  open.send(kGetEcho);
  CHECK(open.read_reply().status == 200);
}

TEST_CASE("a new certificate that cannot be used is refused with the reason, and the old one stays") {
  const TestAuthority authority;
  const auto files = authority.issue("localhost");
  ListeningServer server(options_of(files));
  auto& certificate = *server.server().certificate();
  const auto old = serial_shown(server.port());
  const auto end = certificate.ends_at_unix_s();
  const auto another = authority.issue("localhost");

  copy_over(another.cert_file, files.cert_file);
  CHECK_THROWS_WITH(certificate.read_anew(), Catch::Contains(files.cert_file) && Catch::Contains("mismatch"));
  std::ofstream(files.cert_file) << "-----BEGIN CERTIFICATE-----\nnonsense";
  CHECK_THROWS_WITH(certificate.read_anew(),
                    Catch::StartsWith("cannot use the certificate " + files.cert_file));
  std::filesystem::remove(files.cert_file);
  CHECK_THROWS_WITH(certificate.read_anew(), Catch::EndsWith("No such file or directory"));

  CHECK(serial_shown(server.port()) == old);
  CHECK(certificate.ends_at_unix_s() == end);
  CHECK(end > 0);
}

TEST_CASE("only ciphers with forward secrecy and authenticated encryption are accepted") {
  const TestAuthority authority;
  const ListeningServer server(options_of(authority.issue("localhost")));
  CHECK_FALSE(serial_shown(server.port()).empty());
  CHECK_FALSE(serial_shown(server.port(), "ECDHE+AESGCM").empty());
  CHECK_FALSE(serial_shown(server.port(), "ECDHE+CHACHA20").empty());
  for (const std::string weak :
       {"AES128-GCM-SHA256", "ECDHE+AES128+SHA1", "ECDHE+AES256+SHA384:!AESGCM", "DHE+AESGCM:@SECLEVEL=0"}) {
    INFO(weak);
    CHECK_THROWS_AS(serial_shown(server.port(), weak), Poco::Net::SSLException);
  }
}
