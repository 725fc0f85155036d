#pragma once

#include <cstdint>
#include <optional>

#include "stores/deliveries/delivery.h"
#include "workers/common/retry_schedule.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

// The status of an answer that wants no more webhooks, ever.
inline constexpr int kGone = 410;

// What an attempt means for its delivery: delivered, given up, or when to try again. Pure. `started_at` and
// `ended_at` are the attempt's, `dice` any number.
stores::AttemptRecord judge_attempt(const stores::Delivery& delivery, const PostResult& result,
                                    const RetrySchedule& schedule, Timestamp started_at, Timestamp ended_at,
                                    std::uint64_t dice);

// Of one that is not attempted anymore, because its channel took nothing when the log had this head.
stores::AttemptRecord give_up(const stores::Delivery& delivery, Position head);

}  // namespace pixledger::workers
