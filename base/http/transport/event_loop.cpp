#include "base/http/transport/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pixledger::http {
namespace {

// Events per wait; the next wait returns the rest.
constexpr std::size_t kEventsMax = 256;
constexpr std::chrono::milliseconds kWaitMax{60'000};

int opened(int descriptor) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot wait for sockets");
  return descriptor;
}

// Rounds up: otherwise a wait that ends just early would be followed by busy polling.
int milliseconds_until(Poller::Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Poller::Clock::now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kWaitMax).count());
}

}  // namespace

Poller::Poller()
    : epoll_(opened(::epoll_create1(EPOLL_CLOEXEC))),
      event_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  add(event_.number(), nullptr, EPOLLIN | EPOLLET);
}

void Poller::add(int socket, PollHandler* handler, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = handler;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, socket, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot wait for a socket");
}

void Poller::add(int socket, PollHandler& handler) {
  add(socket, &handler, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

void Poller::add_listening(int socket, PollHandler& handler) { add(socket, &handler, EPOLLIN); }

void Poller::remove(int socket) { ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, socket, nullptr); }

void Poller::wait(Clock::time_point until, Clock::time_point& now) {
  std::array<epoll_event, kEventsMax> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                                 milliseconds_until(until));
  now = Clock::now();
  // An interrupting signal needs no handling: the caller waits again.
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (!event.data.ptr) continue;
    const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    static_cast<PollHandler*>(event.data.ptr)
        ->on_ready({.readable = broken || (event.events & EPOLLIN) != 0,
                    .writable = broken || (event.events & EPOLLOUT) != 0,
                    .peer_ended = broken || (event.events & EPOLLRDHUP) != 0});
  }
}

void Poller::wake() {
  const std::uint64_t one = 1;
  // It never blocks, and fails only where the count is full: then a wake is due already.
  [[maybe_unused]] const auto written = ::write(event_.number(), &one, sizeof one);
}

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
