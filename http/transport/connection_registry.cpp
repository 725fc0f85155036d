#include "http/transport/connection_registry.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace pixledger::http {
namespace {

constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::size_t kLingeringMax = 1024;

std::int64_t to_ms(ConnectionRegistry::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Whether the end of the stream was reached; not for ever when the peer keeps on sending.
bool drop_received(int socket) {
  constexpr int kReadsMax = 16;
  char dropped[16 * 1024];
  for (int i = 0; i < kReadsMax; ++i) {
    const ssize_t bytes = ::recv(socket, dropped, sizeof dropped, MSG_DONTWAIT);
    if (bytes <= 0) return bytes == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }
  return false;
}

}  // namespace

Waiting ConnectionRegistry::waiting_of(std::int64_t deadline) {
  return static_cast<Waiting>(deadline % kWaitings);
}

ConnectionRegistry::Watch::Watch(ConnectionRegistry& registry, int socket)
    : registry_(registry), socket_(socket) {
  const std::lock_guard lock(registry_.mutex_);
  registry_.watches_.insert(this);
}

ConnectionRegistry::Watch::~Watch() {
  const std::lock_guard lock(registry_.mutex_);
  registry_.watches_.erase(this);
  if (is_leaving_) --registry_.leaving_;
  if (registry_.watches_.empty()) registry_.changed_.notify_all();
}

void ConnectionRegistry::Watch::wait(Waiting waiting, Clock::time_point since,
                                     std::chrono::milliseconds patience) {
  since_ms_.store(to_ms(since), std::memory_order_relaxed);
  deadline_.store(to_ms(since + patience) * kWaitings + static_cast<std::int64_t>(waiting),
                  std::memory_order_relaxed);
}

void ConnectionRegistry::Watch::wait_no_longer() { deadline_.store(kNone, std::memory_order_relaxed); }

void ConnectionRegistry::Watch::shut_when_late(std::int64_t now_ms) {
  std::int64_t deadline = deadline_.load(std::memory_order_relaxed);
  if (deadline == kNone || deadline / kWaitings > now_ms) return;
  // The thread may have gone on meanwhile: then this deadline is not the one that is late.
  timed_out_.store(true, std::memory_order_relaxed);
  if (deadline_.compare_exchange_strong(deadline, kNone)) {
    ::shutdown(socket_, waiting_of(deadline) == Waiting::kToSend ? SHUT_RDWR : SHUT_RD);
  } else {
    timed_out_.store(false, std::memory_order_relaxed);
  }
}

ConnectionRegistry::ConnectionRegistry(std::chrono::milliseconds tick, std::chrono::milliseconds slow_after)
    : slow_after_(slow_after), reaper_([this, tick] { run(tick); }) {}

ConnectionRegistry::~ConnectionRegistry() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  reaper_.join();
}

void ConnectionRegistry::linger(const Poco::Net::StreamSocket& socket, Receiving receiving) {
  if (receiving == Receiving::kOpen) ::shutdown(socket.impl()->sockfd(), SHUT_WR);
  const std::lock_guard lock(mutex_);
  if (lingering_.size() < kLingeringMax) {
    lingering_.push_back({socket, Clock::now() + kLinger, receiving == Receiving::kShut});
  }
}

bool ConnectionRegistry::make_room() {
  const std::lock_guard lock(mutex_);
  if (leaving_ >= kLeavingMax) return false;
  return end_longest(Waiting::kForRequest, Clock::time_point::max()) ||
         end_longest(Waiting::kForBytes, Clock::now() - slow_after_);
}

bool ConnectionRegistry::end_longest(Waiting waiting, Clock::time_point before) {
  // One may go on meanwhile; then the next longest is looked for.
  for (std::size_t tries = watches_.size(); tries > 0; --tries) {
    Watch* longest = nullptr;
    std::int64_t its_deadline = kNone;
    std::int64_t earliest = to_ms(before);
    for (Watch* watch : watches_) {
      const std::int64_t deadline = watch->deadline_.load(std::memory_order_relaxed);
      if (deadline == kNone || waiting_of(deadline) != waiting) continue;
      const std::int64_t since = watch->since_ms_.load(std::memory_order_relaxed);
      if (since > earliest || (longest && since == earliest)) continue;
      longest = watch;
      its_deadline = deadline;
      earliest = since;
    }
    if (!longest) return false;
    longest->has_made_room_.store(true, std::memory_order_relaxed);
    if (!longest->deadline_.compare_exchange_strong(its_deadline, kNone)) {
      longest->has_made_room_.store(false, std::memory_order_relaxed);
      continue;
    }
    if (!longest->is_leaving_) ++leaving_;
    longest->is_leaving_ = true;
    ::shutdown(longest->socket_, SHUT_RD);
    return true;
  }
  return false;
}

void ConnectionRegistry::stop_receiving() { shut_all(SHUT_RD); }

void ConnectionRegistry::cut_all() { shut_all(SHUT_RDWR); }

void ConnectionRegistry::shut_all(int how) {
  const std::lock_guard lock(mutex_);
  for (const Watch* watch : watches_) ::shutdown(watch->socket_, how);
}

bool ConnectionRegistry::wait_until_empty(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return watches_.empty(); });
}

void ConnectionRegistry::run(std::chrono::milliseconds tick) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, tick, [&] { return stopping_; })) {
    const Clock::time_point now = Clock::now();
    for (Watch* watch : watches_) watch->shut_when_late(to_ms(now));
    close_lingering(now);
  }
}

void ConnectionRegistry::close_lingering(Clock::time_point now) {
  const auto over = [&](const Lingering& lingering) {
    const bool is_at_end = drop_received(lingering.socket.impl()->sockfd());
    return lingering.until <= now || (is_at_end && !lingering.shut_for_receiving);
  };
  lingering_.erase(std::remove_if(lingering_.begin(), lingering_.end(), over), lingering_.end());
}

}  // namespace pixledger::http
