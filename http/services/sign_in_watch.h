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

// Which of the sign-ins that streams go on under have ended. It is told out of memory, since whoever asks
// looks after many streams on one thread, and the database of accounts may be slow or away; one thread here
// asks that every second. All outlive it.
class SignInWatch {
 public:
  struct Times {
    std::chrono::milliseconds every{1'000};
    // Without news of a sign-in for so long nobody is let go on under it.
    std::chrono::milliseconds known_for{10'000};
  };

  enum class Verdict { kGoesOn, kHasEnded, kUnknown };
  using Clock = std::chrono::steady_clock;

  SignInWatch(const stores::AccountRepository& accounts, const pixledger::Clock& clock, Logger& logger,
              Times times);
  ~SignInWatch();
  SignInWatch(const SignInWatch&) = delete;
  SignInWatch& operator=(const SignInWatch&) = delete;

  // From any thread, which does not wait. Of one that nobody has asked for lately it is taken that it goes
  // on, since its holder was let in with it a moment ago; from then on it is watched. What ended elsewhere is
  // told within Times::every and the time that the database takes.
  Verdict ask(const stores::SignInId& id);

  // Whether the accounts have said at or after `since` that it goes on, or know of its end: then ask() tells
  // the same. If not, they are asked at once; ask again in some milliseconds.
  bool is_told_since(const stores::SignInId& id, Clock::time_point since);
  // The same for callers that may wait so long for it.
  bool wait_until_told(const stores::SignInId& id, Clock::time_point since,
                       std::chrono::milliseconds patience);
  // For whoever has just ended sign-ins: asks the accounts of all that are watched, and waits for the answer,
  // at most as long as an answer may take.
  void ask_now();

  // Of one that was let in a moment ago: watched for as long as what is returned lives, however seldom it is
  // asked for. It has to end before the watch.
  std::shared_ptr<const void> hold(const stores::SignInId& id);

 private:
  struct Watched {
    Clock::time_point asked_at;  // by whoever goes on under it
    Clock::time_point known_at;  // from the database, or from having been let in
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
  bool is_wanted_ = false;        // by somebody who waits for the answer
  Clock::time_point told_as_of_;  // when the last look at all began
  std::map<stores::SignInId, Watched> watched_;
  std::string fault_;  // that the log was told of; the thread's
  std::thread thread_;
};

// What came of people's attempts to sign in, or to confirm who they are, since the process began.
struct SignInCounts {
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> failed{0};
  // Not looked at, since too many of the address or account had failed.
  std::atomic<std::uint64_t> limited{0};
};

// Removes what is over from the accounts, a few rows a minute, and more at once where there are more. Owns
// one thread. All outlive it.
class AccountUpkeep {
 public:
  AccountUpkeep(stores::AccountRepository& accounts, const Clock& clock, Logger& logger);

 private:
  // Returns how long to wait until the next time.
  Periodic::Wait prune();

  stores::AccountRepository& accounts_;
  const Clock& clock_;
  Logger& logger_;
  std::string fault_;
  Periodic thread_;
};

}  // namespace pixledger::http
