#include "http/services/worker_records.h"

#include <sys/stat.h>
#include <system_error>

#include "base/platform/owner_lock.h"
#include "stores/banks/provider_repository.h"

namespace pixledger::http {
namespace {

// nullopt if there is no file or it is inaccessible; opening it then reports why.
std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino};
}

// Creations come in thousands a second; the worker's state is read a few times.
constexpr std::chrono::milliseconds kBanksLookEvery{250};
// Pages poll, and each read opens a file.
constexpr std::chrono::seconds kWatchEvery{2};

}  // namespace

std::shared_ptr<const stores::DeliveryReader> DeliveryRecords::reader() const {
  const std::lock_guard lock(mutex_);
  // Shared tables are never replaced, so they are opened once.
  const auto found =
      databases_.are_shared() ? std::nullopt : identity_of(stores::kWebhookDatabase.in(databases_.workers()));
  if (!reader_ || found != opened_) {
    reader_ = databases_.delivery_reader();
    opened_ = found;
  }
  return reader_;
}

std::optional<stores::Delivery> DeliveryRecords::find(const domain::DeliveryId& id) const {
  const auto found = reader();
  return found ? found->find(id) : std::nullopt;
}

stores::ChannelHealth DeliveryRecords::health(const domain::ChannelId& channel) const {
  const auto found = reader();
  return found ? found->health(channel) : stores::ChannelHealth{};
}

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
  // Counted first, then checked, so that concurrent calls cannot exceed the limit.
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
