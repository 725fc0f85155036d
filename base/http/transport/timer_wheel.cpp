#include "base/http/transport/timer_wheel.h"

#include <algorithm>

namespace pixledger::http {

std::uint64_t TimerWheel::tick_of(Clock::time_point time) const {
  return time <= began_ ? 0 : static_cast<std::uint64_t>((time - began_) / kTick);
}

void TimerWheel::set(Timer& timer, Clock::time_point due) {
  timer.due_tick_ = std::max(tick_of(due), tick_);
  next_tick_ = std::min(next_tick_, timer.due_tick_);
  slots_[timer.due_tick_ % kSlots].push_back(timer.place_);
}

void TimerWheel::advance(Clock::time_point now) {
  // A tick is over when the next one has begun.
  const auto now_tick = tick_of(now);
  if (now_tick <= next_tick_) return;
  // After a long sleep each slot is run once, however often the wheel has turned.
  const auto first = now_tick - tick_ > kSlots ? now_tick - kSlots : tick_;
  tick_ = now_tick;
  for (auto tick = first; tick < now_tick; ++tick) run_slot(tick, now_tick);
  find_next();
}

void TimerWheel::run_slot(std::uint64_t tick, std::uint64_t now_tick) {
  // Moved out first, because callbacks may set timers here; timers of a later turn go back.
  IntrusiveList<Timer> due;
  due.take_all(slots_[tick % kSlots]);
  while (Timer* timer = due.front()) {
    if (timer->due_tick_ >= now_tick) {
      slots_[tick % kSlots].push_back(timer->place_);
      continue;
    }
    timer->cancel();
    timer->on_due_();
  }
}

void TimerWheel::find_next() {
  next_tick_ = tick_;
  while (next_tick_ < tick_ + kSlots && !slots_[next_tick_ % kSlots].front()) ++next_tick_;
}

}  // namespace pixledger::http
