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

// Keeps a view database at the log's head: takes the batches that this process commits as they come, and
// reads from the log what other processes append. Owns one thread. Thread-safe.
class Projector final : public eventstore::CommitListener {
 public:
  // Is told, on the projector's thread, of the events that a database has just come to show.
  using Applied = std::function<void(const ViewDatabase&, const std::vector<domain::RecordedEvent>&)>;
  // Log and database outlive it, the database at least until it is exchanged.
  Projector(ViewDatabase& database, const eventstore::Log& log, Applied on_applied = {});
  ~Projector() override;
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  void on_commit(const eventstore::RecordedEvents& events) override;

  Position applied() const { return Position(applied_.load(std::memory_order_acquire)); }
  // Calls back once the views have reached the position: at once, or later on the projector's thread unless
  // it is told to forget by then.
  using Ticket = std::uint64_t;
  Ticket when_applied(Position position, std::function<void()> callback);
  // For who has waited long enough; nothing happens when the callback has run already.
  void forget(Ticket ticket);
  // False when the views have not reached it in time.
  bool wait_applied(Position position, std::chrono::milliseconds timeout);

  // Goes on with another database of the same log, which nobody else writes to from now on. On the
  // projector's thread `next` is brought to the position of the database in use; `exchanged` is called while
  // both stand there, and readers take to the new one in it. A database in use that cannot follow is left
  // behind. Returns when that is done; throws why `next` could not be brought there, and the database in use
  // stays.
  void exchange_database(ViewDatabase& next, std::function<void()> exchanged);

  // Customers' erasures that this process has come to show, or has removed the data of, so far: what was made
  // at another count may show somebody who is erased by now.
  std::uint64_t erasures() const { return erasures_.load(); }
  // When the newest of them was recorded; the beginning of time before the first.
  Timestamp last_erasure() const { return Timestamp(last_erasure_ms_.load()); }
  void note_data_removed() { ++erasures_; }

  // Why the views have stopped following; empty while they do.
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
  // False when the one in use has to come to the other's position first.
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
