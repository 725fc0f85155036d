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

// Requests that wait for new events of their projects. One thread looks for those that have news, projects in
// turns. Thread-safe.
class Subscriptions {
 public:
  static constexpr std::size_t kMax = 10'000;
  static constexpr std::size_t kOfProjectMax = 1'000;
  static constexpr std::size_t kOfTestKeysMax = 500;  // of a project
  // Subscriptions to all projects: the page servers' own quota, which no project's keys can use up.
  static constexpr std::size_t kOfAllMax = 64;
  using LogFault = std::function<void(const Request&, std::string_view)>;

  explicit Subscriptions(LogFault log_fault);
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // Sends an answer that a subscription found. May run on any thread.
  using Give = std::function<void(const Responder&, Answer)>;
  // Call on the request's loop thread. From then on the subscription answers the request. Returns false if
  // the limit of all, of this project or of its test keys is reached, or the server is stopping.
  bool enter(const Responder& responder, std::shared_ptr<Subscription> subscription, Give give);
  // Takes the events that the read models now show. Call on the projector's thread.
  void on_applied(const std::vector<domain::RecordedEvent>& events);

  std::size_t waiting() const;
  // Each subscription looks a last time; then the thread ends.
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
  // The subscriptions that are due, by project; sets when the next ones will be.
  std::vector<Entries> take_due(Clock::time_point now, Clock::time_point& next);
  void look(Entry& entry, Subscription::Time time);
  void leave(Entry& entry);

  const LogFault log_fault_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, Line> lines_;
  std::size_t waiting_ = 0;
  bool has_news_ = false;  // some entry has news or is new
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::http
