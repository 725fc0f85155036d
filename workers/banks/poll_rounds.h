#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/payment_poll.h"
#include "workers/banks/poll_plan.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

// Looks at all accounts, each tier of the plan on threads of its own: a long look back holds up none of the
// short ones, and an account that hangs only itself. Of a connection's requests the first tier's go before
// the others'.
class PollRounds {
 public:
  // The first tier looks so often where nothing waits and the bank calls back.
  static constexpr std::chrono::seconds kQuietEvery{60};

  // All outlive it.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    const PaymentPoll& poll;
  };
  PollRounds(const Parts& parts, const PollPlan& plan);

  void start(WorkerThreads& threads);
  // The bank is left alone: the first tier's next look is the probe that finds whether it works again.
  // Thread-safe.
  void probe(const domain::ConnectionId& connection);
  // Both end what start() began; the first only asks for it.
  void request_stop();
  void join();
  bool is_stopping() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Account {
    stores::NotedBank bank;
    Clock::time_point next{};
    Clock::time_point looked_at{};
    bool in_work = false;
  };
  struct Round {
    PollTier tier;
    BankPriority priority;
    std::size_t threads;
    std::map<domain::ConnectionId, Account> accounts{};
    bool has_lookout = false;  // a thread without work, for what becomes due; the others are idle
    std::unique_ptr<std::condition_variable> idle = std::make_unique<std::condition_variable>();
  };

  void run(Round& round);
  void add_new_accounts(Clock::time_point now);
  static Account* find_due(Round& round, Clock::time_point now);
  bool may_wait(const Round& round, const Account& account, Clock::time_point now) const;
  bool look(const Round& round, const stores::NotedBank& bank) const;
  std::chrono::milliseconds pause_after(const Round& round, const stores::NotedBank& bank,
                                        bool saw_all) const;
  std::optional<BootTime> probe_at_of(const stores::NotedBank& bank) const;

  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Round> rounds_;
  Clock::time_point listed_at_{};
  bool stopping_ = false;
  std::vector<std::thread> running_;
};

}  // namespace pixledger::workers
