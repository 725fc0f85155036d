#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/servers/process.h"
#include "tests/workers/webhook_worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// What the openssl command makes of the message.
std::string openssl_hmac(const std::filesystem::path& directory, const std::string& secret,
                         const std::string& message) {
  const auto file = directory / "message";
  std::ofstream(file, std::ios::binary) << message;
  const auto result =
      run_process("/usr/bin/openssl", {"dgst", "-sha256", "-hmac", secret, "-r", file.string()});
  REQUIRE(result.code == 0);
  return result.out.substr(0, result.out.find(' '));
}

}  // namespace

TEST_CASE("openssl comes to the signature of what was really sent, in both versions") {
  for (const auto version : {domain::WebhookVersion::kV1, domain::WebhookVersion::kV2}) {
    WorkerFixture fixture;
    const auto secret = fixture.add_channel(version);
    fixture.start();
    fixture.ledger.create_charge();
    const auto webhook = fixture.receiver.wait_for(1).at(0);
    fixture.stop();
    const auto signature = webhook.header("x-webhook-signature");
    const auto hmac = [&](const std::string& message) {
      return openssl_hmac(fixture.ledger.directory.path(), secret, message);
    };
    if (version == domain::WebhookVersion::kV1) {
      CHECK(signature == hmac(webhook.body));
    } else {
      const auto seconds = signature.substr(2, signature.find(',') - 2);
      CHECK(signature == "t=" + seconds + ",v1=" + hmac(seconds + "." + webhook.body));
    }
  }
}
