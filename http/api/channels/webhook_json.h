#pragma once

#include "base/platform/json.h"
#include "domain/aggregates/channel.h"
#include "http/api/common/personal_json.h"
#include "http/services/services.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {

// An attempt at a delivery: 1, 2, 3…, and when it was or would be made.
struct ShownAttempt {
  unsigned number;
  Timestamp at;
};

// The members `headers` and `body` of what an attempt sends, into the object that is open. Signatures are
// left out: who may look may not speak for the service, and a receiver takes what is signed. The body is the
// text as it is sent, null where personal data is masked.
void write_webhook(Json& json, const Services& services, const stores::Delivery& delivery,
                   const domain::Channel& channel, const ShownAttempt& attempt, PersonalData personal);

}  // namespace pixledger::http
