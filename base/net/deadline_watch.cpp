#include "base/net/deadline_watch.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <system_error>

namespace pixledger {

DeadlineWatch::DeadlineWatch() : thread_([this] { run(); }) {}

DeadlineWatch::~DeadlineWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DeadlineWatch::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (watched_.empty()) {
      sleeps_until_ = Time::max();
      changed_.wait(lock);
      continue;
    }
    const auto first = watched_.begin();
    if (std::chrono::steady_clock::now() < first->first) {
      sleeps_until_ = first->first;
      changed_.wait_until(lock, sleeps_until_);
      continue;
    }
    first->second->expire();
    first->second->entry_ = watched_.end();
    watched_.erase(first);
  }
}

DeadlineWatch::Watched::Watched(DeadlineWatch& watch, Time deadline) : watch_(watch), deadline_(deadline) {
  const std::lock_guard lock(watch_.mutex_);
  entry_ = watch_.watched_.emplace(deadline, this);
  if (deadline >= watch_.sleeps_until_) return;
  watch_.sleeps_until_ = deadline;
  watch_.changed_.notify_one();
}

DeadlineWatch::Watched::~Watched() {
  const std::lock_guard lock(watch_.mutex_);
  if (entry_ != watch_.watched_.end()) watch_.watched_.erase(entry_);
}

void DeadlineWatch::Watched::use_socket(int socket) {
  const int duplicate = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) throw std::system_error(errno, std::generic_category(), "cannot watch a socket");
  const std::lock_guard lock(watch_.mutex_);
  socket_.emplace(duplicate);
  if (expired_) ::shutdown(duplicate, SHUT_RDWR);
}

bool DeadlineWatch::Watched::expired() const {
  const std::lock_guard lock(watch_.mutex_);
  return expired_;
}

std::chrono::milliseconds DeadlineWatch::Watched::left() const {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

void DeadlineWatch::Watched::expire() {
  expired_ = true;
  if (socket_) ::shutdown(socket_->number(), SHUT_RDWR);
}

}  // namespace pixledger
