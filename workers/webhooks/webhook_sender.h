#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/net/connection_pool.h"
#include "base/net/deadline_watch.h"
#include "base/net/webhook_target.h"
#include "stores/deliveries/webhook_post.h"

namespace pixledger::workers {

struct PostResult {
  int http_status = 0;  // 0: no answer
  std::string error;    // one short line; empty for a status of 200 to 299
  std::int64_t latency_ms = 0;
  std::string retry_after;  // the header's value; empty: none
  // The beginning of the answer's body, as one line of UTF-8: stores::kAnswerBytesKept bytes at most.
  std::string answer;

  bool succeeded() const { return http_status >= 200 && http_status <= 299; }
};

struct SenderOptions {
  std::string ca_file;  // PEM; trusted beside the system's
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds attempt_timeout{
      15'000};  // resolving, connecting, handshake, sending and the answer together
};

constexpr std::size_t kResponseBytesMax = 16 * 1024;

// Posts to receivers. Redirects are not followed. Thread-safe.
class WebhookSender {
 public:
  // Throws Poco::Exception when the CA file cannot be read.
  explicit WebhookSender(SenderOptions options);

  // One attempt, whose time counts from `started`. Whatever goes wrong on the way is a result, not an
  // exception.
  PostResult post(const PinnedTarget& target, const stores::WebhookPost& post,
                  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now());

 private:
  void attempt(const PinnedTarget& target, const stores::WebhookPost& post, DeadlineWatch::Watched& watched,
               PostResult& result);
  void exchange(std::unique_ptr<TargetConnection> connection, const WebhookUrl& url,
                const stores::WebhookPost& post, PostResult& result);

  const SenderOptions options_;
  DeadlineWatch watch_;
  ConnectionPool pool_;
};

}  // namespace pixledger::workers
