#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/net/resolver.h"

namespace pixledger::eventstore {

// The name server did not answer in time.
class ResolveTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Asks a resolver on threads of its own, so that a name server that hangs holds nobody up for longer than
// they want to wait. Thread-safe.
class BoundedResolver {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // At most so many questions at a time; others wait for their turn. The resolver outlives it.
  BoundedResolver(const Resolver& resolver, std::size_t threads_max)
      : resolver_(resolver), threads_max_(threads_max) {}
  // Waits for what the resolver is being asked, for as long as that takes.
  ~BoundedResolver();
  BoundedResolver(const BoundedResolver&) = delete;
  BoundedResolver& operator=(const BoundedResolver&) = delete;

  // Throws ResolveTimeout at the deadline.
  std::vector<domain::IpAddress> resolve(const std::string& host, Time deadline);

 private:
  struct Question {
    std::string host;
    bool answered = false;
    std::vector<domain::IpAddress> addresses;
  };

  void answer();

  const Resolver& resolver_;
  const std::size_t threads_max_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable answered_;
  std::deque<std::shared_ptr<Question>> waiting_;
  std::size_t idle_ = 0;  // threads that wait for a question
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// The same as a Resolver, for one piece of work with a deadline. Throws ResolveTimeout.
class ResolverUntil final : public Resolver {
 public:
  ResolverUntil(BoundedResolver& resolver, BoundedResolver::Time deadline)
      : resolver_(resolver), deadline_(deadline) {}
  std::vector<domain::IpAddress> resolve(const std::string& host) const override {
    return resolver_.resolve(host, deadline_);
  }

 private:
  BoundedResolver& resolver_;
  const BoundedResolver::Time deadline_;
};

}  // namespace pixledger::eventstore
