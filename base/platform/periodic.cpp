#include "base/platform/periodic.h"

#include <utility>

namespace pixledger {

Periodic::Periodic(Wait first, std::function<Wait()> body)
    : body_(std::move(body)), thread_([this, first] { run(first); }) {}

Periodic::Periodic(Wait first, Wait every, std::function<void()> body)
    : Periodic(first, [every, body = std::move(body)] {
        body();
        return every;
      }) {}

Periodic::~Periodic() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Periodic::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  changed_.notify_all();
}

bool Periodic::wait_for_stop(Wait at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return stopping_; });
}

void Periodic::run(Wait wait) {
  const auto is_time = [this] { return stopping_ || is_woken_; };
  std::unique_lock lock(mutex_);
  while (true) {
    if (wait == kUntilWoken)
      changed_.wait(lock, is_time);
    else
      changed_.wait_for(lock, wait, is_time);
    if (stopping_) return;
    is_woken_ = false;
    lock.unlock();
    wait = body_();
    lock.lock();
  }
}

}  // namespace pixledger
