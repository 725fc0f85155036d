#include "http/services/bank_presence.h"

#include <system_error>

#include "base/platform/lock_probe.h"
#include "stores/banks/open_breakers.h"

namespace pixledger::http {
namespace {

// Creations come in thousands a second; what the worker says is looked at a few times.
constexpr std::chrono::milliseconds kBanksLookEvery{250};
// Pages ask again and again, and each look opens a file.
constexpr std::chrono::seconds kWatchEvery{2};

}  // namespace

bool BankPresence::is_worker_there() {
  const std::lock_guard lock(mutex_);
  look();
  return is_there_;
}

std::vector<stores::BankState> BankPresence::watched_banks() {
  const std::lock_guard lock(watched_mutex_);
  const auto now = Clock::now();
  if (watched_at_ == Clock::time_point() || now - watched_at_ >= kWatchEvery) {
    watched_ = stores::watched_banks(workers_);
    watched_at_ = now;
  }
  return watched_;
}

BankPresence::Place BankPresence::take_place(const domain::ConnectionId& connection) {
  {
    const std::lock_guard lock(mutex_);
    look();
    if (!is_there_ || left_alone_.contains(connection.text())) return nullptr;
  }
  // Counted first and judged then, so that many at once are no more than one after the other.
  const bool has_room = places_taken_.fetch_add(1, std::memory_order_relaxed) < kCodeWaitsMax;
  Place place(static_cast<void*>(this),
              [this](void*) { places_taken_.fetch_sub(1, std::memory_order_relaxed); });
  return has_room ? place : nullptr;
}

void BankPresence::look() {
  const auto now = Clock::now();
  if (looked_at_ != Clock::time_point() && now - looked_at_ < kBanksLookEvery) return;
  looked_at_ = now;
  try {
    const auto directory = workers_ / "providers";
    is_there_ = is_locked(directory / "lock");
    if (is_there_) left_alone_ = stores::read_open_breakers(directory);
  } catch (const std::system_error&) {
    // If the lock cannot be read, creations do not wait for the worker.
    is_there_ = false;
  }
}

}  // namespace pixledger::http
