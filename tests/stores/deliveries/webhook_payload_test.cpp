#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "stores/deliveries/webhook_composer.h"
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

Metadata sample_metadata() {
  return Metadata::of({{parsed<MetadataKey>("order"), parsed<MetadataValue>("1042")},
                       {parsed<MetadataKey>("seller"), parsed<MetadataValue>("Loja \"2\"")}})
      .value();
}

const std::string kEventId = "0123456789abcdef0123456789abcdef";

struct Kind {
  WebhookEvent event;
  std::string name;
  std::vector<ChargeEvent> events;
  std::optional<UnappliedPayment> payment{};  // unapplied
};

// The kinds of both versions.
std::vector<Kind> standard_kinds() {
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

// The kinds that channels on v2 must name.
std::vector<Kind> named_kinds() {
  auto charge = sample_charge();
  charge.metadata = sample_metadata();
  const ChargeEvent created = charge;
  const auto id = sample_end_to_end_id(2);
  const PaymentLeftUnapplied kept{id, Cents(9'900), kStart, PaymentFlag::kAmountMismatch};
  const UnappliedPayment payment_aside{.end_to_end_id = id,
                                       .amount = kept.amount,
                                       .paid_at = kStart,
                                       .received_at = kStart.plus_millis(kMinuteMs),
                                       .flag = kept.flag};
  return {{WebhookEvent::kTransactionPartiallyRefunded,
           "partially-refunded",
           {created, payment(), ChargeRefunded{Cents(2'500), {}}}},
          {WebhookEvent::kPaymentUnapplied, "unapplied", {created, kept}, payment_aside},
          {WebhookEvent::kPaymentSettled,
           "settled-accepted",
           {created, kept, UnappliedPaymentAccepted{id, {}}},
           payment_aside},
          {WebhookEvent::kPaymentSettled,
           "settled-added",
           {created, payment(), kept, UnappliedPaymentAdded{id, {}}},
           payment_aside},
          {WebhookEvent::kPaymentSettled,
           "settled-returned",
           {created, kept, UnappliedPaymentReturned{id, {}}},
           payment_aside}};
}

std::string body_of(const Kind& kind, const CustomerDetails* customer, WebhookVersion version) {
  const auto charge = charge_after(kind.events);
  return stores::webhook_body({.event = kind.event,
                               .event_id = kEventId,
                               .occurred_at = charge.updated_at,
                               .recorded = kind.events.back(),
                               .charge = charge,
                               .payment = kind.payment ? &*kind.payment : nullptr,
                               .customer = customer},
                              version);
}

}  // namespace

TEST_CASE("the bodies of all six kinds in both versions do not change") {
  const auto customer = sample_details();
  for (const auto& kind : standard_kinds()) {
    for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2}) {
      const auto body = body_of(kind, &customer, version);
      REQUIRE(body == golden_body(kind.name + "-" + std::string(to_string(version)), body));
    }
  }
}

TEST_CASE("the bodies of the kinds that channels must name do not change") {
  const auto customer = sample_details();
  for (const auto& kind : named_kinds()) {
    const auto body = body_of(kind, &customer, WebhookVersion::kV2);
    REQUIRE(body == golden_body(kind.name + "-v2", body));
  }
}

TEST_CASE("the bodies of a session's charges name it in v2, and do not change in v1") {
  const auto customer = sample_details();
  for (auto kind : standard_kinds()) {
    const auto plain = body_of(kind, &customer, WebhookVersion::kV1);
    std::get<ChargeCreated>(kind.events.front()).checkout_session = sample_checkout_id();
    REQUIRE(body_of(kind, &customer, WebhookVersion::kV1) == plain);
    const auto body = body_of(kind, &customer, WebhookVersion::kV2);
    REQUIRE(body == golden_body("checkout-" + kind.name + "-v2", body));
  }
}

TEST_CASE("the body about a store's settings has the changes, and the Pix key without its middle") {
  const auto before = sample_settings();
  auto after = before;
  after.pix_key = parsed<PixKey>("outra@example.com");
  after.fee_basis_points = 150;
  const auto project = sample_project_id();
  const auto body = stores::store_webhook_body(
      {.event_id = kEventId, .occurred_at = kStart, .project = project, .before = before, .after = after});
  REQUIRE(body == golden_body("store-changed-v2", body));
  CHECK(body.find(R"("changed":["pixKey","feeBasisPoints"])") != std::string::npos);
  CHECK(body.find("outra@") == std::string::npos);
}

TEST_CASE("the body of a test does not change") {
  for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2}) {
    const auto body =
        stores::webhook_test_body({kEventId, sample_channel_id(), kStart, Environment::kSandbox}, version);
    REQUIRE(body == golden_body("test-" + std::string(to_string(version)), body));
  }
}

TEST_CASE("the body for an erased customer has no personal data") {
  const auto kind = standard_kinds().at(1);
  const auto body = body_of(kind, nullptr, WebhookVersion::kV2);
  REQUIRE(body == golden_body("paid-erased-v2", body));
  // The merchant's metadata is removed, too.
  REQUIRE(body_of(named_kinds().at(0), nullptr, WebhookVersion::kV2).find(R"("metadata":{})") !=
          std::string::npos);
}

TEST_CASE("a body in v1 has none of v2's fields") {
  const auto customer = sample_details();
  for (const auto& kind : standard_kinds()) {
    const auto body = body_of(kind, &customer, WebhookVersion::kV1);
    for (const auto* field :
         {"eventId", "environment", "status", "paidAmountCents", "endToEndId", "metadata"})
      REQUIRE(body.find(field) == std::string::npos);
  }
}

TEST_CASE("a payment without a fee has no fee in its body") {
  auto kind = standard_kinds().at(1);
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
