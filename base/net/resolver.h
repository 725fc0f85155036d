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
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/values/ip_address.h"

namespace pixledger {

// From host names to addresses. Thread-safe.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // In the order in which to try them; empty when there are none or the name cannot be resolved now.
  virtual std::vector<IpAddress> resolve(const std::string& host) const = 0;
};

// The system's resolver; blocks for as long as its configuration lets it.
class SystemResolver final : public Resolver {
 public:
  std::vector<IpAddress> resolve(const std::string& host) const override;
};

// The name server did not answer in time.
class ResolveTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Asks a resolver on threads of its own, so that a name server that hangs holds nobody up for longer than
// they want to wait, and a caller that names hosts of such servers holds up nobody else. Thread-safe.
class BoundedResolver {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // How many questions there may be at a time; others wait for their turn.
  struct Limits {
    std::size_t questions_max;
    std::size_t of_one_asker_max;
  };

  // The resolver outlives it.
  BoundedResolver(const Resolver& resolver, Limits limits) : resolver_(resolver), limits_(limits) {}
  // For a single asker.
  BoundedResolver(const Resolver& resolver, std::size_t questions_max)
      : BoundedResolver(resolver, Limits{questions_max, questions_max}) {}
  // Waits for what the resolver is being asked, for as long as that takes.
  ~BoundedResolver();
  BoundedResolver(const BoundedResolver&) = delete;
  BoundedResolver& operator=(const BoundedResolver&) = delete;

  // `asker`: on whose behalf. Throws ResolveTimeout at the deadline.
  std::vector<IpAddress> resolve(const std::string& host, Time deadline, const std::string& asker = {});

 private:
  struct Question {
    std::string host;
    std::string asker;
    bool answered = false;
    std::vector<IpAddress> addresses;
  };

  void answer();
  std::shared_ptr<Question> take_next();
  void give_back(const Question& question);

  const Resolver& resolver_;
  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable answered_;
  std::deque<std::shared_ptr<Question>> waiting_;
  std::unordered_map<std::string, std::size_t> asking_;  // by asker: what the resolver is being asked
  std::size_t idle_ = 0;                                 // threads that wait for a question
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// The same as a Resolver, for one piece of work with a deadline. Throws ResolveTimeout.
class ResolverUntil final : public Resolver {
 public:
  ResolverUntil(BoundedResolver& resolver, BoundedResolver::Time deadline, std::string asker)
      : resolver_(resolver), deadline_(deadline), asker_(std::move(asker)) {}
  std::vector<IpAddress> resolve(const std::string& host) const override {
    return resolver_.resolve(host, deadline_, asker_);
  }

 private:
  BoundedResolver& resolver_;
  const BoundedResolver::Time deadline_;
  const std::string asker_;
};

}  // namespace pixledger
