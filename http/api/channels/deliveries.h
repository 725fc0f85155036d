#pragma once

#include <optional>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/routing/input.h"
#include "http/routing/page.h"
#include "http/services/services.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {

// GET /api/v1/notification-channels/:id/deliveries
Reply list_deliveries(const Services& services, const Request& request);

// Which of a channel's deliveries a request asks for.
struct DeliveriesAsked {
  Page page;
  std::optional<stores::DeliveryStatus> status;
  std::optional<domain::ChargeId> transaction;
};
DeliveriesAsked read_deliveries_asked(Input& input);
// Of whichever channel, newest first.
Reply render_deliveries(const Services& services, const domain::ChannelId& id, const DeliveriesAsked& asked);

// What asks the webhook worker for something. The request is in the ledger when it is answered; the worker
// finds it there.

// POST /api/v1/notification-channels/:id/test
Answer test_channel(const Services& services, const Request& request);
// POST /api/v1/notification-channels/:id/recover
Answer recover_deliveries(const Services& services, const Request& request);
// POST /api/v1/deliveries/:id/redeliver
Answer redeliver(const Services& services, const Request& request);

}  // namespace pixledger::http
