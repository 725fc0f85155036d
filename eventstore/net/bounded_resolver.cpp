#include "eventstore/net/bounded_resolver.h"

#include <algorithm>
#include <utility>

namespace pixledger::eventstore {

BoundedResolver::~BoundedResolver() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::vector<domain::IpAddress> BoundedResolver::resolve(const std::string& host, Time deadline) {
  const auto question = std::make_shared<Question>();
  question->host = host;
  std::unique_lock lock(mutex_);
  waiting_.push_back(question);
  if (waiting_.size() > idle_ && threads_.size() < threads_max_)
    threads_.emplace_back([this] { answer(); });
  else
    asked_.notify_one();
  if (!answered_.wait_until(lock, deadline, [&] { return question->answered; })) {
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), question), waiting_.end());
    throw ResolveTimeout("the name server did not answer in time");
  }
  return std::move(question->addresses);
}

void BoundedResolver::answer() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    asked_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (stopping_) return;
    const auto question = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    auto addresses = resolver_.resolve(question->host);
    lock.lock();
    question->addresses = std::move(addresses);
    question->answered = true;
    answered_.notify_all();
  }
}

}  // namespace pixledger::eventstore
