#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A batch is made only while fewer events and fewer bytes than these are waiting, so up to one batch more may
// wait.
struct AheadLimits {
  std::size_t events;
  std::size_t bytes;
};

// Batches in order, made by a thread of its own while the caller works on earlier ones. `Batch` has
// `event_count()` and `byte_count()`. For one calling thread.
template <class Batch>
class ReadAhead {
 public:
  // Makes the next batch; nullopt after the last one. Called on the own thread, one call at a time. It must
  // keep no snapshot open between calls: the thread may wait there for as long as the caller works.
  using Make = std::function<std::optional<Batch>()>;

  ReadAhead(AheadLimits limits, Make make)
      : limits_(limits), make_(std::move(make)), thread_([this] { run(); }) {}
  // Waits only for the batch that is being made.
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits for the next batch, which is valid until the next call; null after the last one. Throws what making
  // a batch threw, once the batches before it have been taken.
  const Batch* next() {
    std::unique_lock lock(mutex_);
    if (taken_) used_.push_back(*std::exchange(taken_, std::nullopt));
    changed_.wait(lock, [this] { return !waiting_.empty() || ended_; });
    if (waiting_.empty()) {
      if (fault_) std::rethrow_exception(fault_);
      return nullptr;
    }
    taken_ = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return &*taken_;
  }

 private:
  void run() {
    std::exception_ptr fault;
    try {
      while (wait_for_room()) {
        auto batch = make_();
        if (!batch) break;
        {
          const std::lock_guard lock(mutex_);
          waiting_.push_back(*std::move(batch));
        }
        changed_.notify_all();
      }
    } catch (...) {
      fault = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      fault_ = std::move(fault);
      ended_ = true;
    }
    changed_.notify_all();
  }

  // Returns false if no more batches are needed. Frees the batches that the caller has used: the thread that
  // made them does that faster, and has less to do.
  bool wait_for_room() {
    std::vector<Batch> used;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || has_room(); });
    used.swap(used_);
    return !stopping_;
  }

  bool has_room() const {
    std::size_t events = 0;
    std::size_t bytes = 0;
    for (const auto& batch : waiting_) {
      events += batch.event_count();
      bytes += batch.byte_count();
    }
    return events < limits_.events && bytes < limits_.bytes;
  }

  const AheadLimits limits_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::optional<Batch> taken_;
  std::vector<Batch> used_;
  std::exception_ptr fault_;
  bool ended_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the members above
};

// Some of a log's events, in their order.
struct DecodedBatch {
  std::vector<domain::RecordedEvent> events{};  // never empty
  std::size_t stored_bytes = 0;

  std::size_t event_count() const { return events.size(); }
  std::size_t byte_count() const { return stored_bytes; }
};

// The most that one batch holds.
constexpr std::size_t kDecodedEvents = 16'384;
constexpr std::size_t kDecodedBytes = std::size_t{16} << 20;

// Reads and decodes every event after one position up to another, in order, as far as the log goes, one batch
// ahead of the caller. The log must outlive it. Throws what decode throws.
ReadAhead<DecodedBatch> read_events_ahead(const Log& log, Position after, Position last);

}  // namespace pixledger::eventstore
