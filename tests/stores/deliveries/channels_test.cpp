#include "stores/deliveries/channels.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::stores;
using namespace pixledger::tests;
using domain::WebhookVersion;

namespace {

// The MACs below were made with: printf '%s' "$message" | openssl dgst -sha256 -hmac whsec_test
constexpr std::string_view kBody = R"({"event":"transaction.paid"})";
const HmacSha256 kKey("whsec_test");
const Timestamp kSentAt(1'772'366'400'999);

}  // namespace

TEST_CASE("a channel's secret opens for its channel and for no other") {
  LedgerInMemory ledger;
  const auto secret = make_channel_secret(sample_channel_id(1), ledger.keyring, ledger.entropy);
  REQUIRE(secret.text.size() == 6 + 64);
  REQUIRE(secret.text.substr(0, 6) == "whsec_");
  REQUIRE(secret.hint == secret.text.substr(66));
  REQUIRE(open_channel_secret(sample_channel_id(1), secret.sealed, ledger.keyring) == secret.text);
  REQUIRE_THROWS_AS(open_channel_secret(sample_channel_id(2), secret.sealed, ledger.keyring),
                    eventstore::KeyringError);
  REQUIRE_THROWS_AS(open_channel_secret(sample_channel_id(1), {"short"}, ledger.keyring),
                    eventstore::KeyringError);
}

TEST_CASE("a v1 signature is the hex HMAC of the body") {
  REQUIRE(sign_webhook(WebhookVersion::kV1, kKey, kBody, kSentAt) ==
          "082b0c1b4e6c9b24d5e0356fe07812c8d4eaea5930bf1fbbafa2b226ca920042");
}

TEST_CASE("a v2 signature covers the time, in whole seconds, and the body") {
  REQUIRE(sign_webhook(WebhookVersion::kV2, kKey, kBody, kSentAt) ==
          "t=1772366400,v1=451eb6878450b3a5f8b2f1950359ed3d0aed6710d21444efd4f1f87c330c4794");
}

TEST_CASE("a receiver accepts both formats") {
  for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2}) {
    const auto signature = sign_webhook(version, kKey, kBody, kSentAt);
    REQUIRE(verify_webhook(signature, kKey, kBody, kSentAt));
    REQUIRE_FALSE(verify_webhook(signature, kKey, "{}", kSentAt));
    REQUIRE_FALSE(verify_webhook(signature, HmacSha256("another"), kBody, kSentAt));
  }
}

TEST_CASE("a v2 signature more than five minutes away is refused") {
  const auto signature = sign_webhook(WebhookVersion::kV2, kKey, kBody, kSentAt);
  REQUIRE(verify_webhook(signature, kKey, kBody, kSentAt.plus_millis(299'000)));
  REQUIRE_FALSE(verify_webhook(signature, kKey, kBody, kSentAt.plus_millis(302'000)));
  REQUIRE_FALSE(verify_webhook(signature, kKey, kBody, kSentAt.plus_millis(-302'000)));
}

TEST_CASE("the text signed by v2 is refused as the body of a v1 signature") {
  const auto v2 = sign_webhook(WebhookVersion::kV2, kKey, kBody, kSentAt);
  const auto signed_text = "1772366400." + std::string(kBody);
  REQUIRE(v2 == "t=1772366400,v1=" + sign_webhook(WebhookVersion::kV1, kKey, signed_text, kSentAt));
  REQUIRE_FALSE(verify_webhook(v2.substr(v2.size() - 64), kKey, signed_text, kSentAt));
}

TEST_CASE("an invalid signature is refused") {
  for (const auto* text :
       {"", "t=", "t=1772366400", "t=,v1=", "t=x,v1=00", "t=1772366400,v1=", "v1=00,t=1"}) {
    CAPTURE(text);
    REQUIRE_FALSE(verify_webhook(text, kKey, kBody, kSentAt));
  }
}

TEST_CASE(
    "a signature of Standard Webhooks is the one that was made elsewhere, with the secret's base64 as key") {
  // Made with Python's hmac, as tests/vectors/webhook_signatures.json was.
  constexpr std::string_view kSecret =
      "whsec_00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";
  REQUIRE(sign_standard_webhook(kSecret, "c0k3v1x2z0001q7w8e9r0t1y3", kSentAt, kBody) ==
          "v1,6djjmlxWQ8kBMLqT031zXN3CVvGN57BuqacfQAtZ0Us=");
  REQUIRE_FALSE(sign_standard_webhook("whsec_not base64", "c1", kSentAt, kBody));
  REQUIRE_FALSE(sign_standard_webhook("secret", "c1", kSentAt, kBody));
}
