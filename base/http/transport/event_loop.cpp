#include "base/http/transport/event_loop.h"

#include <utility>

namespace pixledger::http {

EventLoop::EventLoop() : now_(Clock::now()), timers_(now_) {}

EventLoop::~EventLoop() { stop(); }

void EventLoop::start() {
  thread_ = std::thread([this] { run(); });
}

void EventLoop::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  poller_.wake();
  thread_.join();
}

void EventLoop::post(Task task) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (has_stopped_) return;
    posted_.push_back(std::move(task));
    wake = std::exchange(sleeping_, false);
  }
  if (wake) poller_.wake();
}

void EventLoop::run() {
  id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  for (;;) {
    Clock::time_point until = timers_.next_due();
    {
      const std::lock_guard lock(mutex_);
      has_stopped_ = stopping_ && posted_.empty();
      if (has_stopped_) return;
      if (!posted_.empty() || stopping_) until = {};
      sleeping_ = posted_.empty();
    }
    poller_.wait(until, now_);
    run_posted();
    timers_.advance(now_);
    for (auto& task : std::exchange(ending_, {})) task();
  }
}

void EventLoop::run_posted() {
  {
    const std::lock_guard lock(mutex_);
    sleeping_ = false;
    std::swap(posted_, running_);
  }
  for (auto& task : running_) task();
  running_.clear();
}

}  // namespace pixledger::http
