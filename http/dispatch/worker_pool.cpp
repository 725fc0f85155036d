#include "http/dispatch/worker_pool.h"

#include <algorithm>
#include <limits>

namespace pixledger::http {

WorkerPool::WorkerPool(const PoolLimits& limits) : limits_(limits) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, limits.threads); ++i)
    threads_.emplace_back([this] { run(); });
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_all();
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
  // Waiting work is destroyed now, after the lock: its requests refer to objects that end before this pool.
  std::unordered_map<std::string, Line> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(lines_);
  turns_.clear();
  waiting_ = 0;
}

std::shared_ptr<WorkerPool::Place> WorkerPool::enter(const std::string& project, Work work) {
  return enter(project, std::move(work), limits_.waiting_of_project_max);
}

void WorkerPool::go_on(const std::string& project, Work work) {
  enter(project, std::move(work), std::numeric_limits<std::size_t>::max());
}

std::shared_ptr<WorkerPool::Place> WorkerPool::enter(const std::string& project, Work work,
                                                     std::size_t waiting_max) {
  auto place = std::make_shared<Place>();
  {
    const std::lock_guard lock(mutex_);
    auto& line = lines_[project];
    if (line.waiting.size() >= waiting_max) return nullptr;
    line.waiting.push_back({place, std::move(work)});
    ++waiting_;
    put_in_turn(project, line);
  }
  arrived_.notify_one();
  return place;
}

// Puts the line last in turn, unless it is in turn already or at its limit of running items.
void WorkerPool::put_in_turn(const std::string& project, Line& line) {
  if (line.is_in_turn || line.waiting.empty() || line.in_work >= limits_.in_work_of_project_max) return;
  line.is_in_turn = true;
  turns_.push_back(project);
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [this] { return stopping_ || !turns_.empty(); });
    if (stopping_) return;
    const auto project = std::move(turns_.front());
    turns_.pop_front();
    auto& line = lines_.at(project);
    line.is_in_turn = false;
    auto next = std::move(line.waiting.front());
    line.waiting.pop_front();
    --waiting_;
    ++line.in_work;
    put_in_turn(project, line);
    lock.unlock();
    if (next.place->leave()) next.work();
    next = {};
    lock.lock();
    // The line still exists, since its work was in progress.
    auto& left = lines_.at(project);
    --left.in_work;
    put_in_turn(project, left);
    if (left.in_work == 0 && left.waiting.empty()) lines_.erase(project);
    if (!turns_.empty()) arrived_.notify_one();
  }
}

std::size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace pixledger::http
