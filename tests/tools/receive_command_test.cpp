#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "base/platform/clock_and_entropy.h"
#include "stores/deliveries/channels.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

const std::string kSecret = "whsec_0123456789abcdef";

class Receiver {
 public:
  explicit Receiver(std::vector<std::string> more)
      : process_(built_program("pixledger"), arguments(std::move(more))) {
    REQUIRE(process_.wait_for_err("waiting for webhooks on http://127.0.0.1:"));
  }

  Process& process() { return process_; }
  std::uint16_t port() const {
    const std::string& text = process_.err();
    return static_cast<std::uint16_t>(std::stoi(text.substr(text.find("127.0.0.1:") + 10)));
  }

  // The status of the answer.
  int send(const std::string& body, const std::string& signature,
           const std::string& header = "X-Webhook-Signature") {
    Poco::Net::HTTPClientSession session("127.0.0.1", port());
    Poco::Net::HTTPRequest request("POST", "/", "HTTP/1.1");
    request.setContentLength(static_cast<std::streamsize>(body.size()));
    request.set("X-Webhook-Event", "transaction.paid");
    request.set(header, signature);
    session.sendRequest(request) << body;
    Poco::Net::HTTPResponse response;
    session.receiveResponse(response);
    return response.getStatus();
  }

 private:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    more.insert(more.begin(), {"receive", "--secret", kSecret});
    return more;
  }

  Process process_;
};

std::string sign(domain::WebhookVersion version, const std::string& body) {
  return stores::sign_webhook(version, HmacSha256(kSecret), body, SystemClock().now());
}

}  // namespace

TEST_CASE("a signed webhook is received, printed and answered, in both versions") {
  Receiver receiver({"--count", "2", "--timeout", "30"});
  const std::string body = R"({"event":"transaction.paid"})";
  CHECK(receiver.send(body, sign(domain::WebhookVersion::kV2, body)) == 200);
  CHECK(receiver.send(body, sign(domain::WebhookVersion::kV1, body)) == 200);
  CHECK(receiver.process().wait() == 0);
  CHECK(receiver.process().out().find("signature: valid") != std::string::npos);
  CHECK(receiver.process().out().find(body) != std::string::npos);
}

TEST_CASE("a webhook with a wrong signature is a no") {
  Receiver receiver({"--count", "1", "--timeout", "30"});
  CHECK(receiver.send("{}", sign(domain::WebhookVersion::kV2, "{ }")) == 401);
  CHECK(receiver.process().wait() == 1);
  CHECK(receiver.process().out().find("signature: invalid") != std::string::npos);
}

TEST_CASE("during a rotation the next secret is right as well") {
  Receiver receiver({"--count", "1", "--timeout", "30"});
  CHECK(receiver.send("{}", sign(domain::WebhookVersion::kV2, "{}"), "X-Webhook-Signature-Next") == 200);
  CHECK(receiver.process().wait() == 0);
}

TEST_CASE("rotated again within a grace, a secret in between is right as well") {
  Receiver receiver({"--count", "1", "--timeout", "30"});
  const auto wrong = sign(domain::WebhookVersion::kV2, "{ }");
  const auto right = sign(domain::WebhookVersion::kV2, "{}");
  CHECK(receiver.send("{}", wrong + " " + right, "X-Webhook-Signature-Between") == 200);
  CHECK(receiver.process().wait() == 0);
}

TEST_CASE("a webhook in chunks, behind 100 Continue, is received, and is the last one of its connection") {
  Receiver receiver({"--count", "1", "--timeout", "30"});
  RawConnection connection(receiver.port());
  connection.send(
      "POST / HTTP/1.1\r\nHost: shop\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n"
      "X-Webhook-Signature: " +
      sign(domain::WebhookVersion::kV2, "{}") + "\r\n\r\n");
  CHECK(connection.read_reply().status == 100);
  connection.send("1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  CHECK(connection.read_reply().status == 200);
  CHECK(connection.is_closed_by_peer());
  CHECK(receiver.process().wait() == 0);
}

TEST_CASE("a body of more than 1 MiB is answered 413, and neither printed nor counted") {
  Receiver receiver({"--count", "1", "--timeout", "30"});
  const auto reply =
      exchange(receiver.port(), "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 1048577\r\n\r\n");
  CHECK(reply.status == 413);
  CHECK(receiver.send("{}", sign(domain::WebhookVersion::kV2, "{}")) == 200);
  CHECK(receiver.process().wait() == 0);
  CHECK(receiver.process().out().find("signature: invalid") == std::string::npos);
}

TEST_CASE("no webhook in time is a no") {
  Receiver receiver({"--count", "1", "--timeout", "1"});
  CHECK(receiver.process().wait() == 1);
}

TEST_CASE("without a count webhooks are received until it is stopped") {
  Receiver receiver({});
  CHECK(receiver.send("{}", sign(domain::WebhookVersion::kV2, "{}")) == 200);
  receiver.process().send(SIGTERM);
  CHECK(receiver.process().wait() == 0);
}

TEST_CASE("the port goes to a file when it listens") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "port";
  Receiver receiver({"--port-file", file, "--timeout", "1"});
  receiver.process().wait();
  std::ifstream stream(file);
  int port = 0;
  stream >> port;
  CHECK(port > 0);
  CHECK(receiver.process().err().find(":" + std::to_string(port) + "/") != std::string::npos);
}
