#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/json.h"
#include "http/services/services.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {

// A delivery as callers see it.
struct DeliveryShown {
  const domain::DeliveryId& id;
  const domain::ChannelId& channel;
  std::string_view event;
  const std::optional<domain::ChargeId>& charge;  // absent: a test
  std::optional<std::string> external_id;         // the order's, of the charge
  domain::Environment environment;
  stores::DeliveryStatus status;
  const std::vector<stores::DeliveryAttempt>& attempts;
  std::optional<Timestamp> next_attempt_at;
  Timestamp created_at;
};

// As it is now. Delivery and attempts outlive what is shown.
DeliveryShown as_shown(const Services& services, const stores::Delivery& delivery,
                       const std::vector<stores::DeliveryAttempt>& attempts);

// Whether attempts tell what the receiver answered, which may name a payer.
enum class Responses { kLeftOut, kShown, kMasked };

// Its members, into the object that is open; and the object.
void write_delivery_fields(Json& json, const DeliveryShown& delivery,
                           Responses responses = Responses::kLeftOut);
void write_delivery(Json& json, const DeliveryShown& delivery);

}  // namespace pixledger::http
