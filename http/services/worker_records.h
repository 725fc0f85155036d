#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "domain/values/cuid.h"
#include "stores/databases/worker_databases.h"
#include "stores/status/provider_state.h"

namespace pixledger::http {

// Tells a file from another that has taken its place.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The deliveries as the webhook worker keeps them; none as long as no worker has made their file.
// Thread-safe. Throws what their database does.
class DeliveryRecords {
 public:
  explicit DeliveryRecords(stores::WorkerDatabases databases) : databases_(std::move(databases)) {}

  // Null when there is no file. Looked for each time: the worker may start later, and its directory may be
  // put away and made anew meanwhile.
  std::shared_ptr<const stores::DeliveryReader> reader() const;

  std::optional<stores::Delivery> find(const domain::DeliveryId& id) const;
  // Of a channel that nothing was sent to yet when there is no file.
  stores::ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  const stores::WorkerDatabases databases_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const stores::DeliveryReader> reader_;
  mutable std::optional<FileIdentity> opened_;  // what `reader_` reads
};

// Whether it is any use to wait for what a bank says: its worker is another process, which speaks through the
// ledger. Thread-safe.
class BankPresence {
 public:
  static constexpr std::size_t kCodeWaitsMax = 128;
  using Place = std::shared_ptr<void>;

  // `workers`: the directory with one for each.
  explicit BankPresence(std::filesystem::path workers) : workers_(std::move(workers)) {}

  bool is_worker_there();
  // What its worker has seen of each bank, some seconds old at most; empty where none runs on this machine.
  // Throws what its database does.
  std::vector<stores::BankState> watched_banks();
  // A place among the creations that wait for their codes, for as long as what it returns is there; null:
  // nobody is to wait for this connection's, because the worker is not there or leaves its bank alone for
  // now, or because all places are taken. The server outlives it.
  Place take_place(const domain::ConnectionId& connection);

 private:
  using Clock = std::chrono::steady_clock;
  void look();

  const std::filesystem::path workers_;
  std::atomic<std::size_t> places_taken_{0};
  std::mutex mutex_;
  bool is_there_ = false;
  std::set<std::string> left_alone_;  // connections
  Clock::time_point looked_at_{};
  std::mutex watched_mutex_;
  std::vector<stores::BankState> watched_;
  Clock::time_point watched_at_{};
};

}  // namespace pixledger::http
