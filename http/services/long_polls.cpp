#include "http/services/long_polls.h"

#include <algorithm>

namespace pixledger::http {
namespace {

constexpr std::chrono::milliseconds kLookEveryMin{10};

}  // namespace

struct LongPolls::Waiter::Bell {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
  bool stopped = false;

  void ring(bool Bell::*what) {
    {
      const std::lock_guard lock(mutex);
      this->*what = true;
    }
    changed.notify_one();
  }
};

LongPolls::Waiter::Waiter(LongPolls& polls, const domain::ProjectId& project, const domain::ApiKeyId& key,
                          domain::Environment of_key)
    : polls_(polls), project_(project), key_(key), of_key_(of_key), bell_(std::make_shared<Bell>()) {}

LongPolls::Waiter::~Waiter() {
  const std::lock_guard lock(polls_.mutex_);
  polls_.waiters_.erase(this);
}

bool LongPolls::Waiter::wait_applied(domain::Position position, Clock::time_point deadline,
                                     const WorkBudget& budget) {
  {
    std::unique_lock lock(bell_->mutex);
    bell_->reached = false;
    const auto until = std::min(deadline, returned_at_ + kLookEveryMin);
    if (bell_->changed.wait_until(lock, until, [this] { return bell_->stopped; })) return false;
  }
  const auto ticket =
      polls_.projector_.when_applied(position, [bell = bell_] { bell->ring(&Bell::reached); });
  bool reached = false;
  {
    std::unique_lock lock(bell_->mutex);
    const auto is_rung = [this] { return bell_->reached || bell_->stopped; };
    while (!is_rung() && Clock::now() < deadline && !budget.is_over())
      bell_->changed.wait_until(lock, budget.next_look(deadline), is_rung);
    reached = bell_->reached;
  }
  if (!reached) polls_.projector_.forget(ticket);
  returned_at_ = Clock::now();
  return reached;
}

std::unique_ptr<LongPolls::Waiter> LongPolls::enter(const domain::ProjectId& project,
                                                    const domain::ApiKeyId& key, domain::Environment of_key) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiters_.size() >= kWaitersMax) return nullptr;
  std::size_t of_project = 0, of_test_keys = 0, of_this_key = 0;
  for (const auto* waiter : waiters_) {
    if (waiter->project_ != project) continue;
    ++of_project;
    if (waiter->of_key_ == domain::Environment::kSandbox) ++of_test_keys;
    if (waiter->key_ == key) ++of_this_key;
  }
  if (of_project >= kWaitersOfProjectMax || of_this_key >= kWaitersOfKeyMax) return nullptr;
  if (of_key == domain::Environment::kSandbox && of_test_keys >= kWaitersOfTestKeysMax) return nullptr;
  auto waiter = std::make_unique<Waiter>(*this, project, key, of_key);
  waiters_.insert(waiter.get());
  return waiter;
}

std::size_t LongPolls::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size();
}

void LongPolls::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (auto* waiter : waiters_) waiter->bell_->ring(&Waiter::Bell::stopped);
}

}  // namespace pixledger::http
