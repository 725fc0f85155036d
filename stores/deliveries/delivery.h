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
  kFailed = 2,     // given up: the receiver wants no more, or its channel is not active anymore
  kExhausted = 3,  // every attempt of the schedule failed
};
std::string_view to_string(DeliveryStatus status);
std::optional<DeliveryStatus> parse_delivery_status(std::string_view text);

// One event for one channel. What it says is not kept: the body is made from the streams at every attempt.
struct NewDelivery {
  DeliveryId id;  // stable over attempts, also when the database is lost and made again
  domain::ChannelId channel;
  domain::ProjectId project;
  std::optional<domain::ChargeId> charge;  // absent: it is about none
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
  std::optional<domain::ChargeId> charge;  // absent: it is about none
  domain::Environment environment;
  std::optional<domain::WebhookEvent> event;  // absent: a test of the channel
  domain::WebhookVersion version;
  Position position;
  std::uint32_t sequence;
  Timestamp created_at;
  DeliveryStatus status;
  unsigned attempts;  // made so far
  // Of a pending one; absent while an earlier delivery of the same charge holds it back.
  std::optional<Timestamp> next_attempt_at;
  // How many attempts had been made when it was last queued: the schedule counts from there.
  unsigned round_start = 0;

  bool is_test() const { return !event; }
};

// "transaction.paid", or kTestEventName.
constexpr std::string_view kTestEventName = "webhook.test";
std::string_view event_name(const Delivery& delivery);

// What is kept of an answer, so that a merchant can see what their receiver said.
constexpr std::size_t kAnswerBytesKept = 1024;

struct DeliveryAttempt {
  unsigned number;  // 1, 2, 3…
  Timestamp at;
  int http_status;  // 0: no answer
  std::int64_t latency_ms;
  std::string error;     // empty when it was delivered
  std::string answer{};  // the first kAnswerBytesKept bytes of the answer's body, as UTF-8
};

// Where a look at a channel's deliveries, newest first, goes on: at those older than this one.
struct OlderThan {
  Position position;
  std::int64_t number;
  Timestamp created_at;
};

// Attempts of late, of some of a channel's deliveries.
struct RecentAttempts {
  std::vector<DeliveryAttempt> attempts{};  // in no order; without answers
  std::optional<OlderThan> next{};          // nothing: there are no more deliveries
};

// What attempts are counted as: an answer that took it, another answer, or none. Stored, and public as a
// label of the metrics.
inline constexpr std::string_view kAttemptOutcomes[] = {"delivered", "refused", "unreachable"};

// What an attempt came to.
struct AttemptRecord {
  std::int64_t delivery_number;
  domain::ChannelId channel;
  std::optional<domain::ChargeId> charge;
  std::optional<DeliveryAttempt> attempt;    // absent: none was made, the delivery is just given up
  DeliveryStatus status;                     // from now on
  std::optional<Timestamp> next_attempt_at;  // set when it stays pending
  unsigned round_start = 0;                  // the delivery's when it was taken
  // Without an attempt: the log's head when the channel took nothing. A database that has read so far gave up
  // what was pending then; what is pending in it now was queued since.
  Position head{};
};

// --- what events ask of the deliveries, beside new ones ---

// The channel takes nothing for now or is gone: what is pending for it is given up. Its recovery waits until
// it takes webhooks again, and begins anew then.
struct ChannelStopped {
  domain::ChannelId channel;
  bool is_deleted = false;  // then it has no recovery any more
};
// The channel takes webhooks again: its failures so far do not count.
struct ChannelResumed {
  domain::ChannelId channel;
};
// A delivery is to be sent again, from the first attempt of its schedule on, whatever it came to.
struct Redelivery {
  DeliveryId id;
  domain::ChannelId channel;
  Timestamp at;
};
// What happened between two moments, both inclusive, is to be sent where it was not delivered: at once, also
// what is pending and was to be tried later. A channel has one at a time: one that comes while another is
// under way makes that begin again, from the earlier moment to the later one.
struct Recovery {
  domain::ChannelId channel;
  domain::ProjectId project;
  Position requested_at;  // events after this one are not meant
  Timestamp since;
  Timestamp until;
};
using DeliveryChange = std::variant<NewDelivery, ChannelStopped, ChannelResumed, Redelivery, Recovery>;

// A recovery under way.
struct RecoveryProgress {
  Recovery recovery;
  std::optional<Position> done_up_to;  // absent: not begun
};

// How a channel's receiver has answered, over all its deliveries.
struct ChannelHealth {
  std::uint64_t consecutive_failures = 0;  // attempts since the last success
  std::optional<Timestamp> last_success_at{};
  std::optional<Timestamp> last_failure_at{};
  std::optional<Timestamp> failing_since{};  // the first of the consecutive failures

  bool failing() const { return consecutive_failures > 0; }
  friend bool operator==(const ChannelHealth&, const ChannelHealth&) = default;
};

// The round of a delivery's attempts, as `round_start` has it: how many attempts had been made when it was
// last queued, which the schedule counts from, and above that how often a recovery and a redelivery have
// queued it, modulo. So each begins a round that an attempt under way does not belong to, also where no
// attempt of the last one has been made yet.

constexpr unsigned kRoundAttemptsBits = 16;
constexpr unsigned kRoundRecoveriesBits = 6;
constexpr unsigned kRoundRedeliveriesBits = 9;
constexpr unsigned kRedeliveriesAt = kRoundAttemptsBits + kRoundRecoveriesBits;

constexpr unsigned attempts_before_round(unsigned round) { return round & ((1U << kRoundAttemptsBits) - 1); }
constexpr unsigned redeliveries_in(unsigned round) { return round >> kRedeliveriesAt; }

}  // namespace pixledger::stores
