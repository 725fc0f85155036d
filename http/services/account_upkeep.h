#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/platform/clock.h"
#include "eventstore/process/logging.h"
#include "projections/accounts/account_repository.h"

namespace pixledger::http {

// Removes what is over from the accounts, a few rows a minute, and more at once where there are more. Owns
// one thread. All outlive it.
class AccountUpkeep {
 public:
  AccountUpkeep(projections::AccountRepository& accounts, const eventstore::Clock& clock,
                eventstore::Logger& logger);
  ~AccountUpkeep();
  AccountUpkeep(const AccountUpkeep&) = delete;
  AccountUpkeep& operator=(const AccountUpkeep&) = delete;

 private:
  void run();
  // Whether there may be more to remove.
  bool prune();

  projections::AccountRepository& accounts_;
  const eventstore::Clock& clock_;
  eventstore::Logger& logger_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::string fault_;
  std::thread thread_;
};

}  // namespace pixledger::http
