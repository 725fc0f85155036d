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

// An object.
void write_delivery(eventstore::Json& json, const DeliveryShown& delivery);

}  // namespace pixledger::http
