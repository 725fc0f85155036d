#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/platform/clock.h"
#include "base/process/logging.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// Removes what is over from the accounts, a few rows a minute, and more at once where there are more. Owns
// one thread. All outlive it.
class AccountUpkeep {
 public:
  AccountUpkeep(stores::AccountRepository& accounts, const Clock& clock, Logger& logger);
  ~AccountUpkeep();
  AccountUpkeep(const AccountUpkeep&) = delete;
  AccountUpkeep& operator=(const AccountUpkeep&) = delete;

 private:
  void run();
  // Whether there may be more to remove.
  bool prune();

  stores::AccountRepository& accounts_;
  const Clock& clock_;
  Logger& logger_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::string fault_;
  std::thread thread_;
};

}  // namespace pixledger::http
