#include "http/api/channels/delivery_json.h"

#include "http/json/json_time.h"

namespace pixledger::http {
namespace {

void write_attempt(JsonWriter& json, const projections::DeliveryAttempt& attempt) {
  json.begin_object().integer("number", attempt.number);
  write_time(json, "at", attempt.at);
  if (attempt.http_status != 0) {
    json.integer("httpStatus", attempt.http_status);
  } else {
    json.null("httpStatus");
  }
  json.integer("latencyMs", attempt.latency_ms);
  if (attempt.error.empty()) {
    json.null("error");
  } else {
    json.text("error", attempt.error);
  }
  json.end_object();
}

}  // namespace

void write_delivery(JsonWriter& json, const DeliveryShown& delivery) {
  json.begin_object();
  json.text("id", delivery.id.text());
  json.text("channelId", delivery.channel.text());
  json.text("event", delivery.event);
  if (delivery.charge) {
    json.text("transactionId", delivery.charge->text());
  } else {
    json.null("transactionId");
  }
  json.text("status", projections::to_string(delivery.status));
  json.key("attempts").begin_array();
  for (const auto& attempt : delivery.attempts) write_attempt(json, attempt);
  json.end_array();
  write_time_or_null(json, "nextAttemptAt", delivery.next_attempt_at);
  write_time(json, "createdAt", delivery.created_at);
  json.end_object();
}

}  // namespace pixledger::http
