#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/periodic.h"
#include "base/process/logging.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// Which sign-ins of open streams have ended. Answers come from memory: one thread serves many streams, and
// the accounts database may be slow or unavailable. A thread of its own polls that every second. All outlive
// it.
class SignInWatch {
 public:
  struct Times {
    std::chrono::milliseconds every{1'000};
    // Without news of a sign-in for this long, its verdict is kUnknown.
    std::chrono::milliseconds known_for{10'000};
  };

  enum class Verdict { kGoesOn, kHasEnded, kUnknown };
  using Clock = std::chrono::steady_clock;

  SignInWatch(const stores::AccountRepository& accounts, const pixledger::Clock& clock, Logger& logger,
              Times times);
  ~SignInWatch();
  SignInWatch(const SignInWatch&) = delete;
  SignInWatch& operator=(const SignInWatch&) = delete;

  // Any thread may call it; it does not block. A sign-in that was not asked about recently is taken to go on,
  // since its holder was admitted a moment ago; from then on it is watched. An end elsewhere is known within
  // Times::every plus the database's time.
  Verdict ask(const stores::SignInId& id);

  // Whether the accounts confirmed at or after `since` that it goes on, or its end is known; ask() then
  // agrees. If not, wakes a query of the database; ask again in some milliseconds.
  bool is_told_since(const stores::SignInId& id, Clock::time_point since);
  // The same for threads that may block for `patience`.
  bool wait_until_told(const stores::SignInId& id, Clock::time_point since,
                       std::chrono::milliseconds patience);
  // Call after ending sign-ins: queries all that are watched and waits for the answer, within a limit.
  void ask_now();

  // Watches an admitted sign-in for as long as the returned object lives, however seldom it is asked about.
  // That object must be destroyed before the watch.
  std::shared_ptr<const void> hold(const stores::SignInId& id);

 private:
  struct Watched {
    Clock::time_point asked_at;  // the last call about it
    Clock::time_point known_at;  // from the database, or from its admission
    bool has_ended = false;
    std::size_t holds = 0;
  };

  Watched& watch(const stores::SignInId& id, Clock::time_point now);
  void run();
  void look();
  std::vector<stores::SignInId> forget_and_list();
  bool is_told(const stores::SignInId& id, Clock::time_point since);
  void note(const std::vector<stores::SignInId>& asked, const std::vector<stores::SignInId>& going_on,
            Clock::time_point at);

  const stores::AccountRepository& accounts_;
  const pixledger::Clock& clock_;
  Logger& logger_;
  const Times times_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable told_;
  bool stopping_ = false;
  bool is_wanted_ = false;        // a caller waits for the answer
  Clock::time_point told_as_of_;  // when the last query of all began
  std::map<stores::SignInId, Watched> watched_;
  std::string fault_;  // as last logged; used by the thread only
  std::thread thread_;
};

// Attempts to sign in or to confirm an identity, since the process began.
struct SignInCounts {
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> failed{0};
  // Refused unseen, since the address or account had too many failures.
  std::atomic<std::uint64_t> limited{0};
};

// Removes expired rows from the accounts: a few a minute, faster if there are more. Owns one thread. All
// outlive it.
class AccountUpkeep {
 public:
  AccountUpkeep(stores::AccountRepository& accounts, const Clock& clock, Logger& logger);

 private:
  // Returns how long to wait until the next call.
  Periodic::Wait prune();

  stores::AccountRepository& accounts_;
  const Clock& clock_;
  Logger& logger_;
  std::string fault_;
  Periodic thread_;
};

}  // namespace pixledger::http
