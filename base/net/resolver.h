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

// Resolves host names to addresses. Thread-safe.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // In the order to try them; empty if there are none or the name cannot be resolved now.
  virtual std::vector<IpAddress> resolve(const std::string& host) const = 0;
};

// The system's resolver; blocks as long as its configuration allows.
class SystemResolver final : public Resolver {
 public:
  std::vector<IpAddress> resolve(const std::string& host) const override;
};

// The name server did not answer in time.
class ResolveTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls a resolver on its own threads. A hanging name server delays a caller only up to its deadline, and
// never other callers. Thread-safe.
class BoundedResolver {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Limits on concurrent queries; further ones wait in a queue.
  struct Limits {
    std::size_t questions_max;
    std::size_t of_one_asker_max;
  };

  // The resolver must outlive it.
  BoundedResolver(const Resolver& resolver, Limits limits) : resolver_(resolver), limits_(limits) {}
  // For a single asker.
  BoundedResolver(const Resolver& resolver, std::size_t questions_max)
      : BoundedResolver(resolver, Limits{questions_max, questions_max}) {}
  // Waits for running queries, however long they take.
  ~BoundedResolver();
  BoundedResolver(const BoundedResolver&) = delete;
  BoundedResolver& operator=(const BoundedResolver&) = delete;

  // `asker`: the caller that the per-asker limit counts. Throws ResolveTimeout at the deadline.
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
  std::unordered_map<std::string, std::size_t> asking_;  // running queries by asker
  std::size_t idle_ = 0;                                 // threads that wait for a query
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Adapts BoundedResolver to Resolver, with a fixed deadline. Throws ResolveTimeout.
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
