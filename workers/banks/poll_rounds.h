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

// Polls all accounts, with separate threads for each tier of the plan: a long poll does not delay short ones,
// and an account that hangs delays only itself. Requests of the first tier have priority within a connection.
class PollRounds {
 public:
  // How often the first tier polls if no charge waits and the bank calls back.
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
  // To be called when the bank is left alone: the first tier's next poll probes whether it works again.
  // Thread-safe.
  void probe(const domain::ConnectionId& connection);
  // Stop the threads of start(): request_stop() returns at once, join() waits.
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
    bool has_lookout = false;  // an idle thread waits for the next due account
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
