#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "eventstore/log/log.h"
#include "stores/emails/email_repository.h"
#include "stores/traces/kept_traces.h"
#include "workers/common/log_follower.h"
#include "workers/common/retry_schedule.h"
#include "workers/common/worker_threads.h"
#include "workers/emails/email_composer.h"
#include "workers/emails/email_transport.h"

namespace pixledger::workers {

struct EmailWorkerOptions {
  EmailTransportFactory make_transport;            // one per sender
  RetrySchedule schedule = RetrySchedule::live();  // for both environments
  unsigned senders = 4;
};

// The worker's dependencies, all of which must outlive it.
struct EmailWorkerParts {
  const eventstore::Log& log;
  const Clock& clock;
  Entropy& entropy;
  Logger& logger;
  stores::EmailRepository& database;
  const EmailComposer& composer;
  const stores::EventTraces* traces = nullptr;  // null: no trace is continued
};

// Sends purchase confirmations to customers. A reader turns payments into due e-mails; senders deliver them
// and record the results. E-mails that a dying process was sending are sent again, under the same Message-ID.
class EmailWorker : private EventHandler {
 public:
  // The database must have a cursor. Throws CursorMismatch if it is not of this log.
  EmailWorker(const EmailWorkerParts& parts, EmailWorkerOptions options);
  ~EmailWorker() override;  // calls stop()

  // Stops reading, finishes running attempts and records them.
  void stop();
  // Rethrows the exception of a failed thread, if any: the worker has stopped then.
  void check() const { threads_.check(); }

 private:
  void handle(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& after) override;
  void ask_to_stop();
  void read();
  void send();
  std::optional<stores::Email> take(EmailTransport& transport);
  std::optional<stores::Email> find_due(Timestamp now);
  void wait_for_change(std::unique_lock<std::mutex>& lock, Timestamp now);
  void finish(const stores::Email& email, stores::EmailRecord record);
  stores::EmailRecord attempt(const stores::Email& email, EmailTransport& transport);
  EmailAttempt deliver(const stores::Email& email, const OutgoingEmail& outgoing, EmailTransport& transport);
  stores::EmailRecord judge(const stores::Email& email, const EmailAttempt& attempt);
  void tell_failure(const std::string& error);
  // Requires the mutex.
  void tell_capped(Timestamp now, bool is_last = false);

  const EmailWorkerParts parts_;
  const EmailWorkerOptions options_;
  LogFollower follower_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool looks_around_ = false;  // one of the waiting senders polls
  std::set<Position> in_hand_;
  RefusedWork refused_;
  std::optional<Timestamp> failure_told_at_;
  std::uint64_t capped_ = 0;  // capped sandbox e-mails since the last log message
  std::optional<Timestamp> capped_told_at_;
  WorkerThreads threads_;
  std::thread reader_;
  std::vector<std::thread> senders_;
};

}  // namespace pixledger::workers
