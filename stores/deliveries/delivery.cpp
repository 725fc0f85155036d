#include "stores/deliveries/delivery.h"

#include "base/text/enum_names.h"

namespace pixledger::stores {
namespace {

constexpr EnumNames<DeliveryStatus::kPending, DeliveryStatus::kExhausted> kDeliveryStatusNames{
    "pending", "delivered", "failed", "exhausted"};

}  // namespace

std::string_view to_string(DeliveryStatus status) { return kDeliveryStatusNames.of(status); }

std::optional<DeliveryStatus> parse_delivery_status(std::string_view text) {
  return kDeliveryStatusNames.parse(text);
}

std::string_view event_name(const Delivery& delivery) {
  return delivery.event ? domain::to_string(*delivery.event) : kTestEventName;
}

}  // namespace pixledger::stores
