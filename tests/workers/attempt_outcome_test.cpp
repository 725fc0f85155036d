#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "workers/webhooks/webhook_sender.h"

using namespace pixledger;
using namespace pixledger::workers;
using namespace pixledger::tests;
using stores::DeliveryStatus;

namespace {

stores::Delivery delivery_after(unsigned attempts) {
  return {7,
          parsed<domain::DeliveryId>("cdelivery0000000000000001"),
          sample_channel_id(),
          sample_project_id(),
          sample_charge_id(),
          domain::Environment::kLive,
          domain::WebhookEvent::kTransactionPaid,
          domain::WebhookVersion::kV2,
          Position(9),
          2,
          kStart,
          DeliveryStatus::kPending,
          attempts,
          kStart};
}

stores::AttemptRecord judged(unsigned attempts_before, int http_status, const std::string& retry_after = "") {
  PostResult result;
  result.http_status = http_status;
  result.retry_after = retry_after;
  const auto schedule = RetrySchedule::parse("0,5ms,5ms").value();
  return judge_attempt(delivery_after(attempts_before), result, schedule, kStart, kStart.plus_millis(100), 0);
}

}  // namespace

TEST_CASE("any status from 200 to 299 is a delivery") {
  for (const int status : {200, 201, 204, 299})
    REQUIRE(judged(0, status).status == DeliveryStatus::kDelivered);
}

TEST_CASE("anything else is tried again, counted from the end of the attempt") {
  for (const int status : {0, 199, 301, 302, 400, 404, 500}) {
    CAPTURE(status);
    const auto record = judged(0, status);
    REQUIRE(record.status == DeliveryStatus::kPending);
    REQUIRE(record.next_attempt_at == kStart.plus_millis(105));
    REQUIRE(record.attempt->number == 1);
  }
}

TEST_CASE("after the last attempt of the schedule a delivery is exhausted") {
  REQUIRE(judged(1, 500).status == DeliveryStatus::kPending);
  REQUIRE(judged(2, 500).status == DeliveryStatus::kExhausted);
  REQUIRE_FALSE(judged(2, 500).next_attempt_at);
}

TEST_CASE("410 Gone ends a delivery at once") { REQUIRE(judged(0, 410).status == DeliveryStatus::kFailed); }

TEST_CASE("Retry-After lengthens the pause after 429 and 503 only") {
  REQUIRE(judged(0, 429, "60").next_attempt_at == kStart.plus_millis(60'100));
  REQUIRE(judged(0, 503, "60").next_attempt_at == kStart.plus_millis(60'100));
  REQUIRE(judged(0, 503, "0").next_attempt_at == kStart.plus_millis(105));
  REQUIRE(judged(0, 500, "60").next_attempt_at == kStart.plus_millis(105));
}

TEST_CASE("a delivery that was queued again has the whole schedule again, and its attempts go on counting") {
  auto again = delivery_after(3);
  again.round_start = 3;
  PostResult result;
  result.http_status = 500;
  const auto schedule = RetrySchedule::parse("0,5ms,5ms").value();
  const auto first = judge_attempt(again, result, schedule, kStart, kStart, 0);
  REQUIRE(first.attempt->number == 4);
  REQUIRE(first.status == DeliveryStatus::kPending);
  again.attempts = 5;
  REQUIRE(judge_attempt(again, result, schedule, kStart, kStart, 0).status == DeliveryStatus::kExhausted);
}

TEST_CASE("one that is given up has no attempt") {
  const auto record = give_up(delivery_after(2), Position(7));
  REQUIRE(record.status == DeliveryStatus::kFailed);
  REQUIRE_FALSE(record.attempt);
}
