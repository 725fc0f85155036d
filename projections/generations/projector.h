#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "eventstore/executor/executor.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// Keeps a view database at the log's head: applies this process's commits as they come, and reads other
// processes' events from the log. Owns one thread. Thread-safe.
class Projector final : public eventstore::CommitListener {
 public:
  // Called on the projector's thread with the events that a database has just applied.
  using Applied = std::function<void(const ViewDatabase&, const std::vector<domain::RecordedEvent>&)>;
  // The log must outlive this object; the database too, unless it is exchanged first.
  Projector(ViewDatabase& database, const eventstore::Log& log, Applied on_applied = {});
  ~Projector() override;
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  void on_commit(const eventstore::RecordedEvents& events) override;

  Position applied() const { return Position(applied_.load(std::memory_order_acquire)); }
  // Calls back once the views have reached the position: immediately, or later on the projector's thread.
  // Forgetting the ticket first prevents the call.
  using Ticket = std::uint64_t;
  Ticket when_applied(Position position, std::function<void()> callback);
  // Cancels a callback; no effect if it has already run.
  void forget(Ticket ticket);
  // False if the views have not reached the position in time.
  bool wait_applied(Position position, std::chrono::milliseconds timeout);

  // Switches to another database of the same log, which from now on has no other writer. On the projector's
  // thread, brings `next` to the position of the current database. It calls `exchanged` while both are at
  // that position; readers switch there. A current database that cannot follow is abandoned. Blocks until
  // done. If `next` cannot be brought there, throws the reason and keeps the current database.
  void exchange_database(ViewDatabase& next, std::function<void()> exchanged);

  // Counts the customers' erasures that this process has applied, or whose data it has removed. Data made at
  // another count may show an erased customer.
  std::uint64_t erasures() const { return erasures_.load(); }
  // Time of the newest erasure's record; the beginning of time before the first.
  Timestamp last_erasure() const { return Timestamp(last_erasure_ms_.load()); }
  void note_data_removed() { ++erasures_; }

  // Why the views have stopped following; empty while they follow.
  std::string fault() const;

 private:
  struct Waiting {
    Ticket ticket;
    Position position;
    std::function<void()> callback;
  };

  struct Exchange {
    ViewDatabase& next;
    std::function<void()> exchanged;
    std::promise<void> done;
  };

  void run();
  void follow();
  bool is_asked_something() const;
  void exchange_if_asked();
  // False if the current database must first reach the other's position.
  bool try_exchange(const Exchange& exchange);
  void apply(const std::vector<domain::RecordedEvent>& events);
  void note_erasures(const std::vector<domain::RecordedEvent>& events);
  void wake_waiting();

  ViewDatabase* database_;  // changed on the thread only
  const eventstore::Log& log_;
  const Applied on_applied_;
  std::atomic<std::uint64_t> applied_;
  std::atomic<std::uint64_t> erasures_{0};
  std::atomic<std::int64_t> last_erasure_ms_{0};
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  std::deque<eventstore::RecordedEvents> batches_;
  std::vector<Waiting> waiting_;
  Ticket last_ticket_ = 0;
  std::string fault_;
  std::shared_ptr<Exchange> exchange_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::projections
