#include "http/services/turns.h"

#include <algorithm>

namespace pixledger::http {

std::optional<Turns::Turn> Turns::enter(const domain::ProjectId& project, const WorkBudget& budget) {
  const auto& name = project.text();
  std::unique_lock lock(mutex_);
  auto& line = lines_[name];
  if (line.in_work < limits_.in_work_max) {
    ++line.in_work;
    return Turn(*this, name);
  }
  const bool has_room = line.waiting.size() < limits_.waiting_max;
  if (has_room && wait(lock, name, budget)) return Turn(*this, name);
  ++refused_;
  lock.unlock();
  budget.check();
  return std::nullopt;
}

// Whether it was called. Who leaves calls the first that waits and gives it the place.
bool Turns::wait(std::unique_lock<std::mutex>& lock, const std::string& project, const WorkBudget& budget) {
  Waiter waiter;
  // The line stays while something is in work or waits.
  auto& line = lines_.at(project);
  line.waiting.push_back(&waiter);
  ++waiting_;
  const auto deadline = WorkBudget::Clock::now() + limits_.wait_max;
  while (!waiter.is_called && WorkBudget::Clock::now() < deadline && !budget.is_over())
    waiter.called.wait_until(lock, budget.next_look(deadline), [&] { return waiter.is_called; });
  --waiting_;
  if (!waiter.is_called) line.waiting.erase(std::find(line.waiting.begin(), line.waiting.end(), &waiter));
  return waiter.is_called;
}

void Turns::leave(const std::string& project) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(project);
  auto& line = found->second;
  if (!line.waiting.empty()) {
    // Under the lock: the waiter goes as soon as it sees that it was called.
    line.waiting.front()->is_called = true;
    line.waiting.front()->called.notify_one();
    line.waiting.pop_front();
  } else if (--line.in_work == 0) {
    lines_.erase(found);
  }
}

std::size_t Turns::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

std::uint64_t Turns::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace pixledger::http
