#include "http/services/bank_presence.h"

#include <system_error>

#include "eventstore/platform/lock_probe.h"

namespace pixledger::http {
namespace {

// Creations come in thousands a second; the worker's lock is looked at a few times.
constexpr std::chrono::milliseconds kLookEvery{250};

}  // namespace

bool BankPresence::may_await_code() {
  return code_waits_.load(std::memory_order_relaxed) < kCodeWaitsMax && is_worker_there();
}

std::shared_ptr<void> BankPresence::count_code_wait() {
  code_waits_.fetch_add(1, std::memory_order_relaxed);
  return {nullptr, [this](void*) { code_waits_.fetch_sub(1, std::memory_order_relaxed); }};
}

bool BankPresence::is_worker_there() {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (looked_at_ == Clock::time_point() || now - looked_at_ >= kLookEvery) {
    looked_at_ = now;
    try {
      is_there_ = eventstore::is_locked(workers_ / "providers" / "lock");
    } catch (const std::system_error&) {
      // Whoever cannot tell does not wait.
      is_there_ = false;
    }
  }
  return is_there_;
}

}  // namespace pixledger::http
