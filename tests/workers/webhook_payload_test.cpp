#include "workers/webhooks/webhook_payload.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/domain/sample_values.h"
#include "tests/support/paths.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::tests;

namespace {

// tests/workers/golden/<name>.json holds the bytes. PIXLEDGER_WRITE_GOLDEN=1 writes them, and the test fails.
std::string golden_body(const std::string& name, const std::string& actual) {
  const auto path =
      std::filesystem::path(pixledger::tests::source_file("tests/workers/golden")) / (name + ".json");
  const char* write = std::getenv("PIXLEDGER_WRITE_GOLDEN");
  if (write && std::string(write) == "1") {
    std::ofstream(path, std::ios::binary) << actual << '\n';
    FAIL_CHECK("wrote " << path << ": look at the difference");
    return actual;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) FAIL("there is no golden file " << path);
  std::stringstream text;
  text << file.rdbuf();
  auto body = text.str();
  if (!body.empty() && body.back() == '\n') body.pop_back();
  return body;
}

// The charge after these events, a minute apart.
Charge charge_after(const std::vector<ChargeEvent>& events) {
  std::optional<Charge> charge;
  auto at = kStart;
  for (const auto& event : events) {
    charge = apply(std::move(charge), event, at);
    at = at.plus_millis(kMinuteMs);
  }
  return *charge;
}

ChargePaid payment() { return {sample_end_to_end_id(), Cents(10'000), kStart, Cents(110)}; }

struct Kind {
  WebhookEvent event;
  std::string name;
  std::vector<ChargeEvent> events;
};

std::vector<Kind> all_kinds() {
  const ChargeEvent created = sample_charge();
  return {{WebhookEvent::kTransactionCreated, "created", {created}},
          {WebhookEvent::kTransactionPaid, "paid", {created, payment()}},
          {WebhookEvent::kTransactionExpired, "expired", {created, ChargeExpired{}}},
          {WebhookEvent::kTransactionRefunded,
           "refunded",
           {created, payment(), ChargeRefunded{Cents(10'000), {}}}},
          {WebhookEvent::kTransactionCancelled, "cancelled", {created, ChargeCancelled{}}},
          {WebhookEvent::kTransactionFailed, "failed", {created, ChargeFailed{}}}};
}

std::string body_of(const Kind& kind, const CustomerDetails* customer, WebhookVersion version) {
  const auto charge = charge_after(kind.events);
  return workers::webhook_body({kind.event, charge.updated_at, charge, customer}, version);
}

}  // namespace

TEST_CASE("the bodies of all six kinds in both versions are what they were") {
  const auto customer = sample_details();
  for (const auto& kind : all_kinds()) {
    for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2}) {
      const auto body = body_of(kind, &customer, version);
      REQUIRE(body == golden_body(kind.name + "-" + std::string(to_string(version)), body));
    }
  }
}

TEST_CASE("the body of a test is what it was") {
  for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2}) {
    const auto body = workers::webhook_test_body({sample_channel_id(), kStart, true}, version);
    REQUIRE(body == golden_body("test-" + std::string(to_string(version)), body));
  }
}

TEST_CASE("the body for an erased customer says nothing personal") {
  const auto kind = all_kinds().at(1);
  const auto body = body_of(kind, nullptr, WebhookVersion::kV2);
  REQUIRE(body == golden_body("paid-erased-v2", body));
}

TEST_CASE("a payment without a fee has no fee in its body") {
  auto kind = all_kinds().at(1);
  std::get<ChargePaid>(kind.events.back()).fee.reset();
  REQUIRE(body_of(kind, nullptr, WebhookVersion::kV2).find("fee") == std::string::npos);
}

TEST_CASE("an amount in reais keeps its cents, also where a double would lose them") {
  auto created = sample_charge();
  created.amount = Cents(99'999'999'999);
  const auto body = body_of({WebhookEvent::kTransactionCreated, "", {created}}, nullptr, WebhookVersion::kV1);
  REQUIRE(body.find("\"amount\":999999999.99,") != std::string::npos);
}

TEST_CASE("the merchant's own reference is the external id, else the transaction's id") {
  auto created = sample_charge();
  REQUIRE(body_of({WebhookEvent::kTransactionCreated, "", {created}}, nullptr, WebhookVersion::kV2)
              .find("\"externalId\":\"" + created.id.text() + "\"") != std::string::npos);
  created.external_id = parsed<ExternalId>("order \"7\"");
  REQUIRE(body_of({WebhookEvent::kTransactionCreated, "", {created}}, nullptr, WebhookVersion::kV2)
              .find(R"("externalId":"order \"7\"")") != std::string::npos);
}
