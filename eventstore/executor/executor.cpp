#include "eventstore/executor/executor.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "eventstore/executor/batch_run.h"

namespace pixledger::eventstore {

std::span<const domain::RecordedEvent> Completed::events() const {
  if (!batch) return {};
  return std::span(*batch).subspan(first, count);
}

std::string_view fault_of(const Result& result) {
  if (const auto* unavailable = std::get_if<Unavailable>(&result)) return unavailable->reason;
  if (const auto* unknown = std::get_if<OutcomeUnknown>(&result)) return unknown->reason;
  return {};
}

// The queue and the one thread that empties it, batch by batch.
class Executor::Committer {
 public:
  Committer(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
            const ExecutorOptions& options, ExecutorObserver* observer)
      : options_(options),
        observer_(observer),
        runner_(log, clock, entropy, listener, observer, options.cached_states_max) {
    thread_ = std::thread([this] { run(); });
  }

  ~Committer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }

  void submit(Request request, Completion completion) {
    bool accepted = false;
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() < options_.queue_commands_max) {
        queue_.push_back({std::move(request), std::move(completion)});
        accepted = true;
        // The committer looks at the queue again before it sleeps, so only a sleeping one has to be woken.
        wake = std::exchange(sleeping_, false);
      }
    }
    if (wake) arrived_.notify_one();
    if (accepted) return;
    if (observer_) observer_->on_queue_full();
    completion(Unavailable{"too many commands are waiting"});
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }

 private:
  void run() {
    const TakeWaiting take_waiting = [this](std::vector<PendingCommand>& batch) { return take(batch); };
    while (wait_for_commands()) runner_.run(take_waiting);
  }

  // False when there is nothing left to do and the executor ends.
  bool wait_for_commands() {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !stopping_) {
      sleeping_ = true;
      arrived_.wait(lock);
    }
    sleeping_ = false;
    return !queue_.empty();
  }

  std::size_t take(std::vector<PendingCommand>& batch) {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && batch.size() < options_.batch_commands_max) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return queue_.size();
  }

  const ExecutorOptions options_;
  ExecutorObserver* const observer_;
  BatchRunner runner_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PendingCommand> queue_;
  bool sleeping_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

Executor::Executor(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
                   ExecutorOptions options, ExecutorObserver* observer)
    : committer_(std::make_unique<Committer>(log, clock, entropy, listener, options, observer)) {}

Executor::~Executor() = default;

void Executor::submit(Request request, Completion completion) {
  committer_->submit(std::move(request), std::move(completion));
}

Result Executor::execute(Request request) {
  std::promise<Result> promise;
  auto future = promise.get_future();
  submit(std::move(request), [&promise](Result result) { promise.set_value(std::move(result)); });
  return future.get();
}

std::size_t Executor::waiting() const { return committer_->waiting(); }

}  // namespace pixledger::eventstore
