#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/platform/json.h"
#include "projections/deliveries/delivery.h"

namespace pixledger::http {

// A delivery as callers see it.
struct DeliveryShown {
  const domain::DeliveryId& id;
  const domain::ChannelId& channel;
  std::string_view event;
  const std::optional<domain::ChargeId>& charge;  // absent: a test
  projections::DeliveryStatus status;
  const std::vector<projections::DeliveryAttempt>& attempts;
  std::optional<domain::Timestamp> next_attempt_at;
  domain::Timestamp created_at;
};

// As it is now. Both outlive what is shown.
DeliveryShown as_shown(const projections::Delivery& delivery,
                       const std::vector<projections::DeliveryAttempt>& attempts);

// Its members, into the object that is open; and the object.
void write_delivery_fields(eventstore::Json& json, const DeliveryShown& delivery);
void write_delivery(eventstore::Json& json, const DeliveryShown& delivery);

}  // namespace pixledger::http
