#include "stores/deliveries/delivery.h"

#include <array>

namespace pixledger::stores {
namespace {

constexpr std::array kDeliveryStatuses{DeliveryStatus::kPending, DeliveryStatus::kDelivered,
                                       DeliveryStatus::kFailed, DeliveryStatus::kExhausted};

}  // namespace

std::string_view to_string(DeliveryStatus status) {
  switch (status) {
    case DeliveryStatus::kPending:
      return "pending";
    case DeliveryStatus::kDelivered:
      return "delivered";
    case DeliveryStatus::kFailed:
      return "failed";
    case DeliveryStatus::kExhausted:
      return "exhausted";
  }
  return "unknown";
}

std::optional<DeliveryStatus> parse_delivery_status(std::string_view text) {
  for (const auto status : kDeliveryStatuses) {
    if (to_string(status) == text) return status;
  }
  return std::nullopt;
}

std::string_view event_name(const Delivery& delivery) {
  return delivery.event ? domain::to_string(*delivery.event) : kTestEventName;
}

}  // namespace pixledger::stores
