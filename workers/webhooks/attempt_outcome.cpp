#include "workers/webhooks/attempt_outcome.h"

#include <algorithm>

#include "base/net/http_status.h"
#include "stores/deliveries/delivery_round.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using stores::DeliveryStatus;

// What the receiver asks for itself.
milliseconds pause_of(const PostResult& result, Timestamp now) {
  if (result.http_status != kTooManyRequests && result.http_status != kServiceUnavailable)
    return milliseconds(0);
  return parse_retry_after(result.retry_after, now).value_or(milliseconds(0));
}

}  // namespace

stores::AttemptRecord judge_attempt(const stores::Delivery& delivery, const PostResult& result,
                                    const RetrySchedule& schedule, Timestamp started_at, Timestamp ended_at,
                                    std::uint64_t dice) {
  const unsigned attempt = delivery.attempts + 1;
  stores::AttemptRecord record{.delivery_number = delivery.number,
                               .channel = delivery.channel,
                               .charge = delivery.charge,
                               .attempt = stores::DeliveryAttempt{.number = attempt,
                                                                  .at = started_at,
                                                                  .http_status = result.http_status,
                                                                  .latency_ms = result.latency_ms,
                                                                  .error = result.error,
                                                                  .answer = result.answer},
                               .status = DeliveryStatus::kPending,
                               .next_attempt_at = std::nullopt,
                               .round_start = delivery.round_start};
  const auto delay =
      schedule.delay_before(attempt - stores::attempts_before_round(delivery.round_start) + 1, dice);
  if (result.succeeded())
    record.status = DeliveryStatus::kDelivered;
  else if (result.http_status == kGone)
    record.status = DeliveryStatus::kFailed;
  else if (!delay)
    record.status = DeliveryStatus::kExhausted;
  else
    record.next_attempt_at = ended_at.plus_millis(std::max(*delay, pause_of(result, ended_at)).count());
  return record;
}

stores::AttemptRecord give_up(const stores::Delivery& delivery, Position head) {
  return {.delivery_number = delivery.number,
          .channel = delivery.channel,
          .charge = delivery.charge,
          .attempt = std::nullopt,
          .status = DeliveryStatus::kFailed,
          .next_attempt_at = std::nullopt,
          .round_start = delivery.round_start,
          .head = head};
}

}  // namespace pixledger::workers
