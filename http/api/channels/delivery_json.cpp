#include "http/api/channels/delivery_json.h"

#include "base/platform/json.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::http {
namespace {

std::optional<std::string> external_id_of(const Services& services,
                                          const std::optional<domain::ChargeId>& id) {
  if (!id) return std::nullopt;
  const auto state = services.states.find(domain::charge_stream(*id), services.log.head());
  const auto* charge = state ? std::get_if<domain::Charge>(state.get()) : nullptr;
  return charge && charge->external_id ? charge->external_id->text() : id->text();
}

void write_attempt(Json& json, const stores::DeliveryAttempt& attempt, Responses responses) {
  json.begin_object().field("number", attempt.number);
  json.field("at", attempt.at);
  json.field("httpStatus", attempt.http_status == 0 ? std::nullopt : std::optional(attempt.http_status));
  json.field("latencyMs", attempt.latency_ms);
  json.field("error", attempt.error.empty() ? std::nullopt : std::optional(attempt.error));
  if (responses != Responses::kLeftOut) {
    const bool is_shown = responses == Responses::kShown && attempt.http_status != 0;
    json.field("response", is_shown ? std::optional(attempt.answer) : std::nullopt);
  }
  json.end_object();
}

}  // namespace

DeliveryShown as_shown(const Services& services, const stores::Delivery& delivery,
                       const std::vector<stores::DeliveryAttempt>& attempts) {
  return {.id = delivery.id,
          .channel = delivery.channel,
          .event = stores::event_name(delivery),
          .charge = delivery.charge,
          .external_id = external_id_of(services, delivery.charge),
          .environment = delivery.environment,
          .status = delivery.status,
          .attempts = attempts,
          .next_attempt_at = delivery.next_attempt_at,
          .created_at = delivery.created_at};
}

void write_delivery_fields(Json& json, const DeliveryShown& delivery, Responses responses) {
  json.field("id", delivery.id);
  json.field("channelId", delivery.channel);
  json.field("event", delivery.event);
  json.field("transactionId", delivery.charge);
  json.field("externalId", delivery.external_id);
  json.field("environment", delivery.environment);
  json.field("status", delivery.status);
  json.key("attempts").begin_array();
  for (const auto& attempt : delivery.attempts) write_attempt(json, attempt, responses);
  json.end_array();
  json.field("nextAttemptAt", delivery.next_attempt_at);
  json.field("createdAt", delivery.created_at);
}

void write_delivery(Json& json, const DeliveryShown& delivery) {
  json.begin_object();
  write_delivery_fields(json, delivery);
  json.end_object();
}

}  // namespace pixledger::http
