#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/channel.h"
#include "domain/cuid.h"
#include "domain/environment.h"
#include "domain/event.h"

namespace pixledger::projections {

using domain::DeliveryId;

// Stored by number.
enum class DeliveryStatus : std::uint8_t {
  kPending = 0,
  kDelivered = 1,
  kFailed = 2,     // the receiver said that it wants no more
  kExhausted = 3,  // every attempt of the schedule failed
};
std::string_view to_string(DeliveryStatus status);

// One event for one channel. What it says is not kept: the body is made from the streams at every attempt.
struct NewDelivery {
  DeliveryId id;  // stable over attempts, also when the store is lost and made again
  domain::ChannelId channel;
  domain::ProjectId project;
  domain::ChargeId charge;
  domain::Environment environment;
  domain::WebhookEvent event;
  domain::WebhookVersion version;  // the channel's when the event was recorded
  domain::Position position;
  std::uint32_t sequence;        // the charge's stream version
  domain::Timestamp created_at;  // when the event was recorded
  domain::Timestamp first_attempt_at;
};

struct Delivery {
  std::int64_t number;  // the store's own key
  DeliveryId id;
  domain::ChannelId channel;
  domain::ProjectId project;
  domain::ChargeId charge;
  domain::Environment environment;
  domain::WebhookEvent event;
  domain::WebhookVersion version;
  domain::Position position;
  std::uint32_t sequence;
  domain::Timestamp created_at;
  DeliveryStatus status;
  unsigned attempts;  // made so far
  // Of a pending one; absent while an earlier delivery of the same charge holds it back.
  std::optional<domain::Timestamp> next_attempt_at;
};

struct DeliveryAttempt {
  unsigned number;  // 1, 2, 3…
  domain::Timestamp at;
  int http_status;  // 0: no answer
  std::int64_t latency_ms;
  std::string error;  // empty when it was delivered
};

// What an attempt came to.
struct AttemptRecord {
  std::int64_t delivery_number;
  domain::ChannelId channel;
  domain::ChargeId charge;
  DeliveryAttempt attempt;
  DeliveryStatus status;                             // from now on
  std::optional<domain::Timestamp> next_attempt_at;  // set when it stays pending
};

}  // namespace pixledger::projections
