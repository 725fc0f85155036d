#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/net/deadline_watch.h"
#include "base/net/http_client.h"
#include "base/net/webhook_target.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/webhook_composer.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::workers {

struct PostResult {
  int http_status = 0;  // 0: no answer
  std::string error;    // one short line; empty for status 200 to 299
  std::int64_t latency_ms = 0;
  std::string retry_after;  // the header's value; empty if missing
  // The start of the answer's body, as one line of UTF-8, at most stores::kAnswerBytesKept bytes.
  std::string answer;

  bool succeeded() const { return http_status >= 200 && http_status <= 299; }
};

struct SenderOptions {
  std::string ca_file;  // PEM; trusted beside the system's
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds attempt_timeout{
      15'000};  // resolving, connecting, handshake, sending and answer together
};

constexpr std::size_t kResponseBytesMax = 16 * 1024;

// Posts to receivers. Does not follow redirects. Thread-safe.
class WebhookSender {
 public:
  // Throws Poco::Exception if the CA file cannot be read.
  explicit WebhookSender(SenderOptions options);

  // Makes one attempt, timed from `started`. Returns all delivery errors as a result, not as an exception.
  PostResult post(const PinnedTarget& target, const stores::WebhookPost& post,
                  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now());

 private:
  const SenderOptions options_;
  DeadlineWatch watch_;
  HttpClient client_;
};

// The status of an answer that declines all further webhooks.
inline constexpr int kGone = 410;

// The delivery's state after an attempt: delivered, given up, or the next attempt's time. Pure. `started_at`
// and `ended_at` are the attempt's, `dice` is any number.
stores::AttemptRecord judge_attempt(const stores::Delivery& delivery, const PostResult& result,
                                    const RetrySchedule& schedule, Timestamp started_at, Timestamp ended_at,
                                    std::uint64_t dice);

// Gives up a delivery without an attempt, because its channel was stopped when the log had this head.
stores::AttemptRecord give_up(const stores::Delivery& delivery, Position head);

}  // namespace pixledger::workers
