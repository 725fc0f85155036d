#include "domain/values/stream_name.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "domain/aggregates/unmatched_payment.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

struct Named {
  StreamName name;
  StreamKind kind;
  std::string text;
};

std::vector<Named> every_kind() {
  const auto project = sample_project_id();
  const auto token = sample_token(7);
  const std::string p = "cproject00000000000000001";
  const std::string t = "abcdef00000000000000000000000007";
  return {
      {project_stream(project), StreamKind::kProject, "project-" + p},
      {api_key_stream(sample_api_key_id()), StreamKind::kApiKey, "key-abcdef000000000000000001"},
      {channel_stream(sample_channel_id()), StreamKind::kChannel, "channel-cchannel00000000000000001"},
      {blocklist_stream(project, Environment::kLive), StreamKind::kBlocklist, "blocklist-" + p},
      {blocklist_stream(project, Environment::kSandbox), StreamKind::kBlocklist,
       "blocklist-" + p + "-sandbox"},
      {customer_stream(project, Environment::kLive, token), StreamKind::kCustomer, "customer-" + p + "-" + t},
      {customer_stream(project, Environment::kSandbox, token), StreamKind::kCustomer,
       "customer-" + p + "-sandbox-" + t},
      {charge_stream(sample_charge_id()), StreamKind::kCharge, "charge-ccharge000000000000000001"},
      {refusals_stream(project, Environment::kLive, token, kStart), StreamKind::kRefusals,
       "refusals-" + p + "-" + t + "-20260301"},
      {refusals_stream(project, Environment::kSandbox, token, kStart), StreamKind::kRefusals,
       "refusals-" + p + "-sandbox-" + t + "-20260301"},
      {connection_stream(sample_bank_id()), StreamKind::kConnection, "connection-cconnection00000000bank01"},
      {payment_stream(sample_end_to_end_id()), StreamKind::kPayment,
       "payment-" + sample_end_to_end_id().text()},
      {checkout_stream(sample_checkout_id()), StreamKind::kCheckoutSession,
       "checkout-ccheckout0000000000000001"},
      {team_stream(project), StreamKind::kTeam, "team-" + p}};
}

}  // namespace

TEST_CASE("a stream's name states its kind; the texts are stored and never change") {
  for (const auto& [name, kind, text] : every_kind()) {
    CHECK(name.text() == text);
    CHECK(name.kind() == kind);
    CHECK(name.text().substr(name.text().find('-') + 1) == name.key());
  }
}

TEST_CASE("a stream's name reads back as itself") {
  for (const auto& [name, kind, text] : every_kind()) {
    INFO(text);
    const auto read = StreamName::parse(text);
    REQUIRE(read);
    CHECK((*read == name));
    CHECK(read->kind() == kind);
  }
}

TEST_CASE("a name that no stream can have is refused") {
  const std::string token(32, 'a');
  for (const std::string& text :
       std::vector<std::string>{"",
                                "-",
                                "charge",
                                "charge-",
                                "charge-x",
                                "charge- c12345678",
                                "charge-c1234 5678",
                                "charges-c12345678",
                                "connection-",
                                "connection-c1234 5678",
                                "Charge-c12345678",
                                "key-c12345678",
                                "key-abcdef00000000000000000g",
                                "customer-c12345678",
                                "customer-c12345678-" + token.substr(1),
                                "customer-" + token,
                                "customer-c12345678-" + token + "0",
                                "customer-c12345678-" + token + "-20260301",
                                "customer-c12345678-sandbox",
                                "customer-c12345678-sandbox" + token,
                                "customer-c12345678-sandbox-sandbox-" + token,
                                "customer-c12345678-live-" + token,
                                "blocklist-c12345678-",
                                "blocklist-c12345678-live",
                                "blocklist-c12345678-sandbox-",
                                "blocklist-c12345678-sandbox-sandbox",
                                "refusals-c12345678-sandbox-20260301",
                                "refusals-c12345678-" + std::string(32, 'A'),
                                "refusals-c12345678-" + token + "-",
                                "refusals-c12345678-" + token + "-2026031",
                                "refusals-c12345678-" + token + "-20260230",
                                "refusals-c12345678-" + token + "-2026-301",
                                "refusals-c12345678-20260301",
                                "refusals-c12345678-" + token + "-20260301-20260301",
                                "project-" + std::string(200, 'c'),
                                std::string("charge-c12345678\0", 17)}) {
    INFO(text);
    CHECK_FALSE(StreamName::parse(text));
  }
}

TEST_CASE("refusals of a payer have a stream for each day, UTC, and those without a day are still read") {
  const auto stream = [](Timestamp moment) {
    return refusals_stream(sample_project_id(), Environment::kLive, sample_token(), moment).text();
  };
  const auto midnight = kStart.plus_millis(12 * 60 * kMinuteMs);
  CHECK(stream(kStart) == stream(midnight.plus_millis(-1)));
  CHECK(stream(midnight) == stream(kStart).substr(0, stream(kStart).size() - 1) + "2");
  const auto undated = stream(kStart).substr(0, stream(kStart).rfind('-'));
  CHECK(StreamName::parse(undated)->kind() == StreamKind::kRefusals);
}

TEST_CASE(
    "the streams of customers, refusals and blocklists belong to an environment, and have one in the other") {
  for (const auto& [name, kind, text] : every_kind()) {
    INFO(text);
    const bool is_shared = kind == StreamKind::kProject || kind == StreamKind::kApiKey ||
                           kind == StreamKind::kChannel || kind == StreamKind::kCharge ||
                           kind == StreamKind::kConnection || kind == StreamKind::kPayment ||
                           kind == StreamKind::kCheckoutSession || kind == StreamKind::kTeam;
    CHECK(name.environment().has_value() != is_shared);
    const auto other = name.in_other_environment();
    CHECK((other.in_other_environment() == name));
    CHECK((StreamName::parse(other.text()) == other));
    CHECK((other == name) == is_shared);
    if (!is_shared) CHECK(other.environment() == other_than(*name.environment()));
  }
}

TEST_CASE("a payer's stream and the streams of their refusals name them alike") {
  for (const auto environment : {Environment::kLive, Environment::kSandbox}) {
    const auto payer = customer_stream(sample_project_id(), environment, sample_token());
    CHECK(payer.payer() == payer.key());
    CHECK(refusals_stream(sample_project_id(), environment, sample_token(), kStart).payer() == payer.key());
    const auto undated = StreamName::parse("refusals-" + std::string(payer.key()));
    REQUIRE(undated);
    CHECK(undated->payer() == payer.key());
  }
}

TEST_CASE("ids that outsiders chose make names that read back") {
  for (const auto* id : {"C12345678", "cAAAAAAAA/../", "c\xc3\xa9tranger9"}) {
    const auto name = charge_stream(parsed<ChargeId>(id));
    CHECK((StreamName::parse(name.text()) == name));
  }
}

TEST_CASE("document tokens and key ids are lower-case hexadecimal of their size") {
  CHECK(DocumentToken::parse(std::string(32, 'f')));
  CHECK_FALSE(DocumentToken::parse(std::string(31, 'f')));
  CHECK_FALSE(DocumentToken::parse(std::string(33, 'f')));
  CHECK_FALSE(DocumentToken::parse(std::string(32, 'F')));
  CHECK_FALSE(DocumentToken::parse(std::string(31, '0') + '-'));
  CHECK(ApiKeyId::parse(std::string(24, '0')));
  CHECK_FALSE(ApiKeyId::parse(std::string(23, '0')));
  CHECK_FALSE(ApiKeyId::parse(std::string(24, 'G')));
}

}  // namespace pixledger::tests
