#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"

namespace pixledger::stores {

using domain::DeliveryId;

// Stored by number.
enum class DeliveryStatus : std::uint8_t {
  kPending = 0,
  kDelivered = 1,
  kFailed = 2,     // given up: the receiver has declined, or its channel is no longer active
  kExhausted = 3,  // every attempt of the schedule failed
};
std::string_view to_string(DeliveryStatus status);
std::optional<DeliveryStatus> parse_delivery_status(std::string_view text);

// One event for one channel. The body is not stored: every attempt builds it from the streams.
struct NewDelivery {
  DeliveryId id;  // stable over attempts, and if the database is lost and rebuilt
  domain::ChannelId channel;
  domain::ProjectId project;
  std::optional<domain::ChargeId> charge;  // absent: not about a charge
  domain::Environment environment;
  std::optional<domain::WebhookEvent> event;  // absent: a test of the channel
  domain::WebhookVersion version;             // the channel's when the event was recorded
  Position position;
  std::uint32_t sequence;  // the version of the event's stream
  Timestamp created_at;    // when the event was recorded
  Timestamp first_attempt_at;
};

struct Delivery {
  std::int64_t number;  // the database's own key
  DeliveryId id;
  domain::ChannelId channel;
  domain::ProjectId project;
  std::optional<domain::ChargeId> charge;  // absent: not about a charge
  domain::Environment environment;
  std::optional<domain::WebhookEvent> event;  // absent: a test of the channel
  domain::WebhookVersion version;
  Position position;
  std::uint32_t sequence;
  Timestamp created_at;
  DeliveryStatus status;
  unsigned attempts;  // attempts made
  // Set if pending; absent while an earlier delivery of the same charge holds it back.
  std::optional<Timestamp> next_attempt_at;
  // The number of attempts when it was last queued: the schedule counts from there.
  unsigned round_start = 0;

  bool is_test() const { return !event; }
};

// "transaction.paid", or kTestEventName.
constexpr std::string_view kTestEventName = "webhook.test";
std::string_view event_name(const Delivery& delivery);

// How much of an answer is stored, to show merchants what their receiver said.
constexpr std::size_t kAnswerBytesKept = 1024;

struct DeliveryAttempt {
  unsigned number;  // 1, 2, 3…
  Timestamp at;
  int http_status;  // 0: no answer
  std::int64_t latency_ms;
  std::string error;     // empty if delivered
  std::string answer{};  // the first kAnswerBytesKept bytes of the answer's body, as UTF-8
};

// Paging through a channel's deliveries, newest first, continues with those older than this one.
struct OlderThan {
  Position position;
  std::int64_t number;
  Timestamp created_at;
};

// Recent attempts of some of a channel's deliveries.
struct RecentAttempts {
  std::vector<DeliveryAttempt> attempts{};  // unordered; without answers
  std::optional<OlderThan> next{};          // nullopt: no more deliveries
};

// Outcomes of attempts: an accepting answer, another answer, or no answer. Stored, and public as a label of
// the metrics.
inline constexpr std::string_view kAttemptOutcomes[] = {"delivered", "refused", "unreachable"};
// `http_status` 0: no answer.
constexpr std::string_view attempt_outcome(int http_status, bool is_delivered) {
  if (is_delivered) return kAttemptOutcomes[0];
  return http_status != 0 ? kAttemptOutcomes[1] : kAttemptOutcomes[2];
}

// The result of an attempt.
struct AttemptRecord {
  std::int64_t delivery_number;
  domain::ChannelId channel;
  std::optional<domain::ChargeId> charge;
  std::optional<DeliveryAttempt> attempt;    // absent: given up without an attempt
  DeliveryStatus status;                     // after the attempt
  std::optional<Timestamp> next_attempt_at;  // set if it stays pending
  unsigned round_start = 0;                  // the delivery's at its start
  // Without an attempt: the log's head when the channel was stopped. A database that has read that far has
  // given up what was pending then; its pending deliveries were queued since.
  Position head{};
};

// --- changes that events make, beside new deliveries ---

// The channel is paused or deleted: its pending deliveries are given up. Its recovery waits until the channel
// resumes, then restarts.
struct ChannelStopped {
  domain::ChannelId channel;
  bool is_deleted = false;  // then its recovery ends
};
// The channel has resumed: earlier failures do not count.
struct ChannelResumed {
  domain::ChannelId channel;
};
// Sends a delivery again, from the first attempt of its schedule, whatever its status.
struct Redelivery {
  DeliveryId id;
  domain::ChannelId channel;
  Timestamp at;
};
// Sends what was not delivered of the events between two times, inclusive: immediately, including pending
// deliveries due later. A channel has one recovery at a time. A new one restarts the running one, from the
// earlier start to the later end.
struct Recovery {
  domain::ChannelId channel;
  domain::ProjectId project;
  Position requested_at;  // later events are excluded
  Timestamp since;
  Timestamp until;
};
using DeliveryChange = std::variant<NewDelivery, ChannelStopped, ChannelResumed, Redelivery, Recovery>;

// A recovery under way.
struct RecoveryProgress {
  Recovery recovery;
  std::optional<Position> done_up_to;  // absent: not started
};

// A channel's receiver over all its deliveries.
struct ChannelHealth {
  std::uint64_t consecutive_failures = 0;  // attempts since the last success
  std::optional<Timestamp> last_success_at{};
  std::optional<Timestamp> last_failure_at{};
  std::optional<Timestamp> failing_since{};  // the first of the consecutive failures

  bool failing() const { return consecutive_failures > 0; }
  friend bool operator==(const ChannelHealth&, const ChannelHealth&) = default;
};

// The round of a delivery's attempts, the content of `round_start`. The low bits are the number of attempts
// when it was last queued; the schedule counts from there. The bits above count its recoveries and
// redeliveries, modulo. So each requeue starts a new round, to which a running attempt does not belong, even
// if the last round had no attempt.

constexpr unsigned kRoundAttemptsBits = 16;
constexpr unsigned kRoundRecoveriesBits = 6;
constexpr unsigned kRoundRedeliveriesBits = 9;
constexpr unsigned kRedeliveriesAt = kRoundAttemptsBits + kRoundRecoveriesBits;

constexpr unsigned attempts_before_round(unsigned round) { return round & ((1U << kRoundAttemptsBits) - 1); }
constexpr unsigned redeliveries_in(unsigned round) { return round >> kRedeliveriesAt; }

}  // namespace pixledger::stores
