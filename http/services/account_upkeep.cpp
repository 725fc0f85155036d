#include "http/services/account_upkeep.h"

#include <chrono>

namespace pixledger::http {
namespace {

constexpr std::size_t kRowsAtOnce = 200;
constexpr std::chrono::minutes kEvery{1};
// Between two steps, so that whoever signs in gets their turn.
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

AccountUpkeep::AccountUpkeep(stores::AccountRepository& accounts, const Clock& clock, Logger& logger)
    : accounts_(accounts), clock_(clock), logger_(logger), thread_([this] { run(); }) {}

AccountUpkeep::~AccountUpkeep() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void AccountUpkeep::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const bool has_more = prune();
    lock.lock();
    const auto wait = has_more ? std::chrono::milliseconds(kPause) : std::chrono::milliseconds(kEvery);
    stopped_.wait_for(lock, wait, [this] { return stopping_; });
  }
}

bool AccountUpkeep::prune() {
  std::string fault;
  bool has_more = false;
  try {
    has_more = accounts_.prune(clock_.now(), kRowsAtOnce) >= kRowsAtOnce;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  // Said once, not every minute.
  if (fault != fault_ && !fault.empty())
    logger_.warning("what is over cannot be removed from the accounts", {{"fault", fault}});
  fault_ = fault;
  return has_more;
}

}  // namespace pixledger::http
