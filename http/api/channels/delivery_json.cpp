#include "http/api/channels/delivery_json.h"

#include "eventstore/platform/json.h"

namespace pixledger::http {
namespace {

void write_attempt(eventstore::Json& json, const projections::DeliveryAttempt& attempt) {
  json.begin_object().field("number", attempt.number);
  json.field("at", attempt.at);
  json.field("httpStatus", attempt.http_status == 0 ? std::nullopt : std::optional(attempt.http_status));
  json.field("latencyMs", attempt.latency_ms);
  json.field("error", attempt.error.empty() ? std::nullopt : std::optional(attempt.error));
  json.end_object();
}

}  // namespace

DeliveryShown as_shown(const projections::Delivery& delivery,
                       const std::vector<projections::DeliveryAttempt>& attempts) {
  return {.id = delivery.id,
          .channel = delivery.channel,
          .event = projections::event_name(delivery),
          .charge = delivery.charge,
          .status = delivery.status,
          .attempts = attempts,
          .next_attempt_at = delivery.next_attempt_at,
          .created_at = delivery.created_at};
}

void write_delivery_fields(eventstore::Json& json, const DeliveryShown& delivery) {
  json.field("id", delivery.id);
  json.field("channelId", delivery.channel);
  json.field("event", delivery.event);
  json.field("transactionId", delivery.charge);
  json.field("status", delivery.status);
  json.key("attempts").begin_array();
  for (const auto& attempt : delivery.attempts) write_attempt(json, attempt);
  json.end_array();
  json.field("nextAttemptAt", delivery.next_attempt_at);
  json.field("createdAt", delivery.created_at);
}

void write_delivery(eventstore::Json& json, const DeliveryShown& delivery) {
  json.begin_object();
  write_delivery_fields(json, delivery);
  json.end_object();
}

}  // namespace pixledger::http
