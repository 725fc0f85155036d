#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/net/bounded_resolver.h"
#include "base/platform/clock.h"
#include "base/platform/entropy.h"
#include "base/process/logging.h"
#include "domain/aggregates/channel.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/deliveries/webhook_composer.h"
#include "workers/common/refusal_log.h"
#include "workers/common/refused_work.h"
#include "workers/common/retry_schedule.h"
#include "workers/common/subscription.h"
#include "workers/common/worker_threads.h"
#include "workers/webhooks/channel_disabler.h"
#include "workers/webhooks/delivery_maker.h"
#include "workers/webhooks/delivery_recovery.h"
#include "workers/webhooks/send_queue.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

struct WebhookWorkerOptions {
  TargetPolicy targets;
  SenderOptions sender;
  std::optional<RetrySchedule> schedule;  // absent: each environment's own
  unsigned senders = 64;
  std::chrono::milliseconds disable_after = std::chrono::hours(120);        // of nothing but failures
  std::chrono::milliseconds keep_deliveries = std::chrono::hours(30 * 24);  // after they have ended
};

// What the worker works with. All that is referred to outlives the worker.
struct WebhookWorkerParts {
  const eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const Clock& clock;
  Entropy& entropy;
  const Resolver& resolver;
  Logger& logger;
  stores::DeliveryRepository& database;
  eventstore::Executor& executor;
  std::vector<eventstore::EndedEpoch> ended_epochs{};  // of the log
};

// Tells merchants what happened to their charges. A reader turns events into deliveries, senders post those
// that are due, a keeper moves them between database and senders. What a process that dies was sending is
// sent again.
class WebhookWorker : private EventHandler {
 public:
  // The database must have a cursor. Throws CursorMismatch when it is not one of this log, Poco::Exception
  // when the CA file cannot be read.
  WebhookWorker(const WebhookWorkerParts& parts, WebhookWorkerOptions options);
  ~WebhookWorker() override;  // as stop()

  // Reads no further, finishes the attempts under way and records them.
  void stop();

  // Throws what ended one of the worker's threads, if anything did: the worker does nothing then.
  void check() const { threads_.check(); }

 private:
  void handle(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& after) override;
  void read();
  void stop_reader();
  bool recover();
  void keep();
  void refill(const SendQueue::Refill& refill);
  void record(const std::vector<stores::AttemptRecord>& results);
  void disable_if_failing_too_long(const domain::ChannelId& id, Position up_to, Timestamp now);
  void prune();
  void send();
  stores::AttemptRecord attempt(const stores::Delivery& delivery);
  std::optional<domain::Channel> channel_at(const Head& head, const domain::ChannelId& id);
  PostResult post(const stores::Delivery& delivery, const domain::Channel& channel, Timestamp started_at);
  void log_failure(const stores::Delivery& delivery, const std::exception& error);
  void report(const stores::Delivery& delivery, const stores::AttemptRecord& record);
  std::string host_of(const stores::Delivery& delivery);

  const WebhookWorkerParts parts_;
  const WebhookWorkerOptions options_;
  Subscription subscription_;
  DeliveryMaker maker_;
  DeliveryRecovery recovery_;
  stores::WebhookComposer composer_;
  eventstore::StateReader channels_;
  BoundedResolver resolver_;
  WebhookSender sender_;
  ChannelDisabler disabler_;
  SendQueue queue_;
  RefusalLog refusals_;
  RefusedWork refused_;
  bool recovering_ = true;                              // the reader's: there may be a recovery to do
  std::chrono::steady_clock::time_point next_prune_{};  // the keeper's
  std::atomic<bool> stopping_ = false;
  WorkerThreads threads_;
  std::thread reader_;
  std::thread keeper_;
  std::vector<std::thread> senders_;
};

}  // namespace pixledger::workers
