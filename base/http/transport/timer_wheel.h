#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/http/transport/intrusive_list.h"

namespace pixledger::http {

// Something that is to happen once, unless it is told otherwise before. Destroying it cancels it.
class Timer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Timer(std::function<void()> on_due) : place_(*this), on_due_(std::move(on_due)) {}

  bool is_set() const { return place_.is_linked(); }
  void cancel() { place_.unlink(); }

 private:
  friend class TimerWheel;
  ListHook<Timer> place_;
  std::uint64_t due_tick_ = 0;
  const std::function<void()> on_due_;
};

// A hashed timing wheel (Varghese and Lauck 1987, scheme 6): setting, moving and cancelling a timer cost the
// same however many there are. A timer is due at the end of the tick in which its time falls, never before.
// For one thread.
class TimerWheel {
 public:
  using Clock = Timer::Clock;
  static constexpr std::chrono::milliseconds kTick{10};

  explicit TimerWheel(Clock::time_point now) : began_(now) {}

  // Moves it when it is set already. It leaves the wheel before its function runs, which may set it again.
  void set(Timer& timer, Clock::time_point due);
  // Runs what is due.
  void advance(Clock::time_point now);
  // When the next one may be due: not later than it is, nor than the wheel's turn.
  Clock::time_point next_due() const { return end_of(next_tick_); }

 private:
  static constexpr std::size_t kSlots = 1024;

  std::uint64_t tick_of(Clock::time_point time) const;
  Clock::time_point end_of(std::uint64_t tick) const {
    return began_ + static_cast<std::int64_t>(tick + 1) * kTick;
  }
  void run_slot(std::uint64_t tick, std::uint64_t now_tick);
  void find_next();

  const Clock::time_point began_;
  std::uint64_t tick_ = 0;       // all before it have been run
  std::uint64_t next_tick_ = 0;  // nothing is due before it
  std::array<IntrusiveList<Timer>, kSlots> slots_;
};

}  // namespace pixledger::http
