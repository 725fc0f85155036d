#include "workers/banks/api_pix/bank_http.h"

#include <Poco/Net/ServerSocket.h>
#include <catch2/catch.hpp>

#include "tests/support/servers/hanging_resolver.h"
#include "tests/workers/banks/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

struct Caller {
  explicit Caller(const FakeBank& bank, const CertificateFiles& files,
                  std::chrono::milliseconds timeout = 1min)
      : network(resolver, {.ca_file = bank.authority.ca_file(), .call_timeout = timeout}),
        http(network, content_of(files.cert_file), content_of(files.key_file)) {}

  CallResult call(const std::string& method, const std::string& url) {
    return http.call({.method = method, .url = url, .headers = {{"Authorization", "Bearer t1"}}});
  }

  BankResolver resolver;
  BankNetwork network;
  BankHttp http;
};

std::string said(const CallResult& result) {
  if (const auto* const unknown = std::get_if<OutcomeUnknown>(&result)) return "unknown: " + unknown->reason;
  if (const auto* const unsent = std::get_if<NotSent>(&result)) return "not sent: " + unsent->reason;
  return std::to_string(std::get<Answered>(result).status);
}

}  // namespace

TEST_CASE("a bank's answer comes with its time and its wish to be left alone") {
  FakeBank bank;
  Caller caller(bank, bank.client_files);
  bank.will_answer("GET /x", {.status = 429, .headers = {{"Retry-After", "3"}}, .body = "slow"});
  const auto result = caller.call("GET", bank.url() + "/v2/x");
  const auto& answer = std::get<Answered>(result);
  CHECK(answer.status == 429);
  CHECK(answer.retry_after == "3");
  CHECK(answer.body == "slow");
  CHECK(answer.date.has_value());
}

TEST_CASE("a bank under another name, or of an authority that is not trusted, is sent nothing") {
  FakeBank bank;
  const FakeBank other;
  Caller stranger(other, bank.client_files);
  CHECK_THAT(said(stranger.call("PUT", bank.url() + "/v2/x")),
             Catch::StartsWith("not sent: the server's certificate is refused: self-signed certificate"));
  Caller caller(bank, bank.client_files);
  const auto port = bank.url().substr(bank.url().rfind(':'));
  CHECK(said(caller.call("PUT", "https://127.0.0.1" + port + "/v2/x")) ==
        "not sent: the server's certificate is refused");
  CHECK(bank.asked().empty());
}

TEST_CASE("a client with a certificate of another authority, or none, is let in nowhere") {
  FakeBank bank;
  const TestAuthority other;
  Caller stranger(bank, other.issue("Loja"));
  const auto refused = said(stranger.call("GET", bank.url() + "/v2/x"));
  CHECK(refused.find("200") == std::string::npos);
  CHECK(bank.asked().empty());

  BankResolver resolver;
  BankNetwork network(resolver, {.ca_file = bank.authority.ca_file()});
  BankHttp bare(network, "", "");
  CHECK(said(bare.call({.method = "GET", .url = bank.url() + "/v2/x", .headers = {}})).find("200") ==
        std::string::npos);
  CHECK(bank.asked().empty());
}

TEST_CASE("an unreachable bank is sent nothing") {
  FakeBank bank;
  Caller caller(bank, bank.client_files);
  CHECK(said(caller.call("PUT", "https://nowhere.example/v2/x")) ==
        "not sent: the host does not resolve to an address");
  CHECK(said(caller.call("PUT", "http://bank.example/v2/x")) == "not sent: the URL must begin with https://");
  const auto port = Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port();
  CHECK(said(caller.call("PUT", "https://bank.example:" + std::to_string(port) + "/")) ==
        "not sent: connection refused");
}

TEST_CASE("a name server that does not answer costs no more than a call's time") {
  HangingResolver resolver("bank.example");
  const FakeBank bank;
  {
    BankNetwork network(resolver, {.ca_file = bank.authority.ca_file(), .call_timeout = 50ms});
    BankHttp http(network, "", "");
    CHECK(said(http.call({.method = "GET", .url = "https://hangs.example/", .headers = {}})) ==
          "not sent: the name server does not answer");
    resolver.let_go();
  }
}

TEST_CASE("a bank that does not answer in time may have done it") {
  FakeBank bank;
  Caller caller(bank, bank.client_files, 1s);
  bank.will_answer("PUT /x", {.status = 200, .headers = {}, .body = "", .never = true});
  CHECK(said(caller.call("PUT", bank.url() + "/v2/x")) == "unknown: timeout");
}

TEST_CASE("an answer that breaks off may have been yes, and is no word on an error's meaning") {
  FakeBank bank;
  Caller caller(bank, bank.client_files);
  const auto breaks_off = [](int status, const std::string& body) {
    return ReceiverAnswer{.status = status, .headers = {}, .body = body, .never = false, .broken_off = true};
  };
  bank.will_answer("PUT /x", breaks_off(201, "{\"txid\""));
  CHECK(said(caller.call("PUT", bank.url() + "/v2/x")).starts_with("unknown: the answer broke off"));
  bank.will_answer("PUT /x", breaks_off(400, "{\"type\""));
  CHECK(said(caller.call("PUT", bank.url() + "/v2/x")) == "400");
  bank.will_answer("PUT /x", breaks_off(200, ""));
  CHECK(said(caller.call("PUT", bank.url() + "/v2/x")).starts_with("unknown: "));
}

TEST_CASE("answers are read to 8 MiB and no further") {
  FakeBank bank;
  Caller caller(bank, bank.client_files);
  bank.will_answer("GET /x", 200, std::string(kBankAnswerBytesMax, 'x'));
  CHECK(said(caller.call("GET", bank.url() + "/v2/x")) == "200");
  bank.will_answer("GET /x", 200, std::string(kBankAnswerBytesMax + 1, 'x'));
  CHECK(said(caller.call("GET", bank.url() + "/v2/x")) == "unknown: the answer is longer than 8 MiB");
}

TEST_CASE("a certificate that does not fit its key is refused before anything is sent") {
  const TestAuthority authority;
  BankResolver resolver;
  BankNetwork network(resolver, {.ca_file = authority.ca_file()});
  const auto certificate = content_of(authority.issue("a").cert_file);
  const auto key = content_of(authority.issue("b").key_file);
  CHECK_THROWS_AS(BankHttp(network, certificate, key), std::invalid_argument);
  CHECK_THROWS_AS(BankHttp(network, certificate, ""), std::invalid_argument);
  CHECK_THROWS_AS(BankHttp(network, "no certificate", key), std::invalid_argument);
}
