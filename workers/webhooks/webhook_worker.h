#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/net/resolver.h"
#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"
#include "domain/values/cuid.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/deliveries/webhook_composer.h"
#include "stores/traces/kept_traces.h"
#include "workers/common/log_follower.h"
#include "workers/common/retry_schedule.h"
#include "workers/common/worker_threads.h"
#include "workers/webhooks/delivery_maker.h"
#include "workers/webhooks/send_queue.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

// Logs that a channel's target is refused, at most once per channel and kPauseMs. Its deliveries fail until
// the operator changes the channel or the worker's options. Thread-safe.
class RefusalLog {
 public:
  static constexpr std::int64_t kPauseMs = 3'600'000;
  static constexpr std::size_t kChannelsMax = 10'000;

  explicit RefusalLog(Logger& logger) : logger_(logger) {}

  void note(const domain::ChannelId& channel, std::string_view reason, Timestamp now);

 private:
  bool is_due(const domain::ChannelId& channel, Timestamp now);

  Logger& logger_;
  std::mutex mutex_;
  std::map<domain::ChannelId, Timestamp> logged_at_;
};

// Queues what channels missed, for their recoveries. Reads the log again in steps, so that memory stays
// bounded, new events need not wait, and projects take turns. Continues after a restart. Used by one thread.
//
// Excludes data that retention has removed, since its delivery status is unknown.
class DeliveryRecovery {
 public:
  static constexpr std::size_t kStepEventsMax = 512;

  DeliveryRecovery(const eventstore::Log& log, const Clock& clock, stores::DeliveryRepository& database)
      : log_(log), clock_(clock), database_(database), history_(log) {}

  struct Step {
    domain::ChannelId channel;
    std::size_t missed;  // deliveries found missing
  };
  // Runs a step of the next project's recovery; nullopt if there is no recovery.
  std::optional<Step> step();

 private:
  std::vector<stores::NewDelivery> deliveries_for(const domain::RecordedEvent& event,
                                                  const domain::Channel& channel);
  Position start_of(const stores::Recovery& recovery, const domain::Channel& channel) const;

  const eventstore::Log& log_;
  const Clock& clock_;
  stores::DeliveryRepository& database_;
  eventstore::StateHistory history_;
  std::optional<domain::ProjectId> served_;  // project of the last step
};

// Disables channels by commands. Thread-safe; executor and logger must outlive it.
class ChannelDisabler {
 public:
  ChannelDisabler(eventstore::Executor& executor, Logger& logger) : executor_(executor), logger_(logger) {}
  ~ChannelDisabler();  // waits for running commands
  ChannelDisabler(const ChannelDisabler&) = delete;
  ChannelDisabler& operator=(const ChannelDisabler&) = delete;

  // `channel` is as it was when the reason was found. Does not block. One request per channel at a time;
  // others are ignored meanwhile. A failed write is only logged: while the cause lasts, the next failure
  // requests it again. Never disables a checkout session's channel.
  void disable(const domain::Channel& channel, domain::ChannelDisabledReason reason);

 private:
  void finished(const domain::ChannelId& channel, domain::ChannelDisabledReason reason,
                const eventstore::Result& result);

  eventstore::Executor& executor_;
  Logger& logger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<domain::ChannelId> under_way_;
};

struct WebhookWorkerOptions {
  TargetPolicy targets;
  SenderOptions sender;
  std::optional<RetrySchedule> schedule;  // absent: each environment's default
  unsigned senders = 64;
  std::chrono::milliseconds disable_after = std::chrono::hours(120);        // time with failures only
  std::chrono::milliseconds keep_deliveries = std::chrono::hours(30 * 24);  // after their end
};

// The worker's dependencies. All references must outlive the worker.
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
  const stores::EventTraces* traces = nullptr;         // null: no trace is continued
};

// Notifies merchants of events of their charges. A reader turns events into deliveries, senders post due
// ones, and a keeper moves them between database and senders. Webhooks that a dying process was sending are
// sent again.
class WebhookWorker : private EventHandler {
 public:
  // The database must have a cursor. Throws CursorMismatch if it is not of this log, Poco::Exception if the
  // CA file cannot be read.
  WebhookWorker(const WebhookWorkerParts& parts, WebhookWorkerOptions options);
  ~WebhookWorker() override;  // calls stop()

  // Stops reading, finishes running attempts and records them.
  void stop();

  // Rethrows the exception of a failed thread, if any: the worker has stopped then.
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
  void end_span(const stores::AttemptSpan& span, const stores::Delivery& delivery,
                const PostResult& result) const;
  void log_failure(const stores::Delivery& delivery, const std::exception& error);
  void report(const stores::Delivery& delivery, const stores::AttemptRecord& record);
  std::string host_of(const stores::Delivery& delivery);

  const WebhookWorkerParts parts_;
  const WebhookWorkerOptions options_;
  LogFollower follower_;
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
  bool recovering_ = true;                              // the reader's: a recovery may be pending
  std::chrono::steady_clock::time_point next_prune_{};  // the keeper's
  std::atomic<bool> stopping_ = false;
  WorkerThreads threads_;
  std::thread reader_;
  std::thread keeper_;
  std::vector<std::thread> senders_;
};

}  // namespace pixledger::workers
