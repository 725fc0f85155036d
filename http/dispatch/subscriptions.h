#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/http/transport/exchange.h"
#include "domain/aggregates/event.h"
#include "http/routing/answer.h"

namespace pixledger::http {

// The requests that wait for what their projects will record: entries of a list, and one thread that looks
// for those that have news, projects in turns. Thread-safe.
class Subscriptions {
 public:
  static constexpr std::size_t kMax = 10'000;
  static constexpr std::size_t kOfProjectMax = 1'000;
  static constexpr std::size_t kOfTestKeysMax = 500;  // of a project
  // Of no project: the pages' servers have places of their own, which no project's keys can take.
  static constexpr std::size_t kOfAllMax = 64;
  using LogFault = std::function<void(const Request&, std::string_view)>;

  explicit Subscriptions(LogFault log_fault);
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // How an answer that it has found is given. From any thread.
  using Give = std::function<void(const Responder&, Answer)>;
  // On the loop's thread of the request, which is answered by the subscription from then on. False when as
  // many wait as may, of all or of this project or its test keys, or the server stops.
  bool enter(const Responder& responder, std::shared_ptr<Subscription> subscription, Give give);
  // Of what the read models have come to show. On the projector's thread.
  void on_applied(const std::vector<domain::RecordedEvent>& events);

  std::size_t waiting() const;
  // Each looks for a last time, and nobody waits any more from here on.
  void stop();

 private:
  using Clock = Subscription::Clock;
  struct Entry {
    Entry(Responder its_responder, std::shared_ptr<Subscription> its_subscription, Give its_give)
        : responder(std::move(its_responder)),
          subscription(std::move(its_subscription)),
          give(std::move(its_give)) {}
    const Responder responder;
    const std::shared_ptr<Subscription> subscription;
    const Give give;
    std::atomic<bool> has_left{false};
    bool has_news = false;  // guarded by the mutex
    Clock::time_point looked_at{};
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;
  struct Line {
    Entries entries;
    std::size_t of_test_keys = 0;
  };

  void run();
  // What is to look now, project by project; and when to look around again.
  std::vector<Entries> take_due(Clock::time_point now, Clock::time_point& next);
  void look(Entry& entry, Subscription::Time time);
  void leave(Entry& entry);

  const LogFault log_fault_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, Line> lines_;
  std::size_t waiting_ = 0;
  bool has_news_ = false;  // or an entry came, so that it is time to look around
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::http
