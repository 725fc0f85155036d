#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace pixledger::http {

template <class T>
class IntrusiveList;

// A list node inside its item; unlinks itself on destruction. Can be in one list at a time.
template <class T>
class ListHook {
 public:
  explicit ListHook(T& item) : item_(&item) {}
  ~ListHook() { unlink(); }
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;

  bool is_linked() const { return next_ != this; }
  void unlink() {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }

 private:
  friend class IntrusiveList<T>;
  ListHook() = default;  // the sentinel of a list

  T* const item_ = nullptr;
  ListHook* previous_ = this;
  ListHook* next_ = this;
};

// An intrusive list: linking needs no allocation. Owns nothing; on destruction unlinks its items.
template <class T>
class IntrusiveList {
 public:
  IntrusiveList() = default;
  ~IntrusiveList() {
    while (ends_.is_linked()) ends_.next_->unlink();
  }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  // Unlinks it from its previous list.
  void push_back(ListHook<T>& place) {
    place.unlink();
    place.previous_ = ends_.previous_;
    place.next_ = &ends_;
    ends_.previous_->next_ = &place;
    ends_.previous_ = &place;
  }

  // Null at the end.
  T* front() const { return ends_.next_->item_; }
  static T* after(const ListHook<T>& place) { return place.next_->item_; }

  // Moves all of the other list's items behind this list's.
  void take_all(IntrusiveList& other) {
    while (other.ends_.is_linked()) push_back(*other.ends_.next_);
  }

 private:
  ListHook<T> ends_;
};

// A one-shot timer. Destruction cancels it.
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

// A hashed timing wheel (Varghese and Lauck 1987, scheme 6): setting, moving and cancelling a timer take
// constant time. A timer fires at the end of the tick that contains its time, never earlier. Not thread-safe.
class TimerWheel {
 public:
  using Clock = Timer::Clock;
  static constexpr std::chrono::milliseconds kTick{10};

  explicit TimerWheel(Clock::time_point now) : began_(now) {}

  // Moves a timer that is already set. The timer leaves the wheel before its function runs, which may set it
  // again.
  void set(Timer& timer, Clock::time_point due);
  // Runs timers that are due.
  void advance(Clock::time_point now);
  // A lower bound for the next due time, at most one turn of the wheel ahead.
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
  std::uint64_t tick_ = 0;       // all earlier ticks have been run
  std::uint64_t next_tick_ = 0;  // nothing is due before it
  std::array<IntrusiveList<Timer>, kSlots> slots_;
};

}  // namespace pixledger::http
