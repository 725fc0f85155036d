#pragma once

#include <optional>

#include "base/http/message/reply.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {

// The deliveries of a channel that a request asks for.
struct DeliveriesAsked {
  Page page;
  std::optional<stores::DeliveryStatus> status;
  std::optional<domain::ChargeId> transaction;
};
DeliveriesAsked read_deliveries_asked(Input& input);
// For any channel, newest first.
Reply render_deliveries(const Services& services, const domain::ChannelId& id, const DeliveriesAsked& asked);

}  // namespace pixledger::http
