#include "http/api/common/command_reply.h"

#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

using domain::Rejection;

HttpAnswer reply_to(Rejection rejection, std::string_view route = "/api/v1/transactions") {
  http::Request request;
  request.route_pattern = route;
  request.request_id = "req_1";
  const auto reply = http::rejection_reply(request, rejection);
  return {reply.status, {}, reply.body};
}

}  // namespace

TEST_CASE("each rejection that a merchant can meet has its documented status and code") {
  const std::pair<Rejection, const char*> expected[] = {
      {Rejection::kApiKeyUnusable, "401 ERR_AUTH_009"},
      {Rejection::kTransactionNotFound, "404 ERR_TRANSACTION_001"},
      {Rejection::kTransactionStatus, "400 ERR_TRANSACTION_002"},
      {Rejection::kTransactionOfAnotherProject, "403 ERR_TRANSACTION_003"},
      {Rejection::kAmountAboveMaximum, "400 ERR_TRANSACTION_004"},
      {Rejection::kRefundNotAllowed, "400 ERR_TRANSACTION_005"},
      {Rejection::kRefundWindowOver, "400 ERR_TRANSACTION_005"},
      {Rejection::kRefundLimit, "400 ERR_TRANSACTION_005"},
      {Rejection::kNotSandbox, "400 ERR_SANDBOX_002"},
      {Rejection::kNoPixKey, "400 ERR_STORE_001"},
      {Rejection::kCustomerNotFound, "404 ERR_CUSTOMER_001"},
      {Rejection::kCustomerBlocked, "403 ERR_CUSTOMER_002"},
      {Rejection::kBlocklisted, "403 ERR_FRAUD_001"},
      {Rejection::kUnknownConnection, "400 ERR_VALIDATION_001"},
      {Rejection::kInvalidDocumentCheckDigits, "400 ERR_VALIDATION_001"},
      {Rejection::kBlockExpiryInPast, "400 ERR_VALIDATION_001"},
      {Rejection::kBlocklistLimit, "400 ERR_VALIDATION_001"},
      {Rejection::kChannelLimit, "400 ERR_CHANNEL_002"},
      {Rejection::kChannelNotFound, "404 ERR_CHANNEL_001"},
      {Rejection::kChannelInactive, "400 ERR_CHANNEL_003"},
      {Rejection::kDeliveryNotFound, "404 ERR_DELIVERY_001"},
      {Rejection::kWebhookTargetRefused, "400 ERR_VALIDATION_001"},
      {Rejection::kBlocklistEntryNotFound, "404 ERR_BLOCKLIST_001"},
      {Rejection::kApiKeyNotFound, "404 ERR_KEY_001"},
      {Rejection::kPaymentNotFound, "404 ERR_PAYMENT_001"},
      {Rejection::kPaymentGoesBack, "400 ERR_TRANSACTION_002"},
  };
  for (const auto& [rejection, outcome] : expected) CHECK(outcome_of(reply_to(rejection)) == outcome);
}

TEST_CASE("a value that only the decision could judge is a violation of its field") {
  const auto field = [](Rejection rejection, std::string_view route = "/api/v1/transactions") {
    return reply_to(rejection, route).at("/details/0/field");
  };
  CHECK(field(Rejection::kUnknownConnection) == "connectionId");
  CHECK(field(Rejection::kInvalidDocumentCheckDigits) == "customer.document");
  CHECK(field(Rejection::kInvalidDocumentCheckDigits, "/api/customers") == "document");
  CHECK(field(Rejection::kBlockExpiryInPast) == "expiresAt");
  CHECK(field(Rejection::kBlocklistLimit) == "value");
  CHECK(field(Rejection::kEndToEndIdTaken) == "endToEndId");
  CHECK(field(Rejection::kPaymentUnmatched) == "endToEndId");
  CHECK(field(Rejection::kPaymentInFuture) == "paidAt");
  CHECK(field(Rejection::kPaymentBeforeCharge) == "paidAt");
  CHECK(field(Rejection::kPaymentOutsideBank) == "sendBack");
  CHECK(field(Rejection::kWebhookTargetRefused) == "url");
  CHECK(field(Rejection::kWebhookTargetRefused, "/api/v1/checkout/sessions") == "webhookUrl");
}

TEST_CASE("a target that does not resolve in time is named by its own field") {
  const auto body_of = [](std::string_view route) {
    return reply_to(Rejection::kWebhookTargetUnknown, route).body;
  };
  CHECK(body_of("/api/notification-channels").find("where url leads") != std::string::npos);
  CHECK(body_of("/api/v1/checkout/sessions").find("where webhookUrl leads") != std::string::npos);
}

TEST_CASE("a rejection that only operators can meet is a fault of the API") {
  for (const auto rejection :
       {Rejection::kUnmatchedPaymentNotFound, Rejection::kUnmatchedPaymentSettled, Rejection::kRefundNotFound,
        Rejection::kProjectNotFound, Rejection::kConnectionAliasTaken, Rejection::kConnectionLimit})
    CHECK_THROWS_AS(reply_to(rejection), std::logic_error);
}

}  // namespace pixledger::tests
