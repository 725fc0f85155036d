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

// Distinguishes a file from one that replaced it.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The webhook worker's deliveries; none until a worker has made their file. Thread-safe. Throws what the
// database throws.
class DeliveryRecords {
 public:
  explicit DeliveryRecords(stores::WorkerDatabases databases) : databases_(std::move(databases)) {}

  // Null if there is no file. Checks each time: the worker may start later, and its directory may be
  // replaced.
  std::shared_ptr<const stores::DeliveryReader> reader() const;

  std::optional<stores::Delivery> find(const domain::DeliveryId& id) const;
  // Without a file: the health of a channel that nothing was sent to.
  stores::ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  const stores::WorkerDatabases databases_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const stores::DeliveryReader> reader_;
  mutable std::optional<FileIdentity> opened_;  // the file that `reader_` reads
};

// Whether waiting for a bank's reply is useful: the banks' worker is another process, which replies through
// the ledger. Thread-safe.
class BankPresence {
 public:
  static constexpr std::size_t kCodeWaitsMax = 128;
  using Place = std::shared_ptr<void>;

  // `workers`: the directory with a subdirectory a worker.
  explicit BankPresence(std::filesystem::path workers) : workers_(std::move(workers)) {}

  bool is_worker_there();
  // The worker's last view of each bank, at most some seconds old; empty if no worker runs on this machine.
  // Throws what its database throws.
  std::vector<stores::BankState> watched_banks();
  // Reserves a place among the creations that wait for codes, until the result is destroyed. Null if the
  // worker does not run, its breaker for this connection is open, or all places are taken. The server
  // outlives it.
  Place take_place(const domain::ConnectionId& connection);

 private:
  using Clock = std::chrono::steady_clock;
  void look();

  const std::filesystem::path workers_;
  std::atomic<std::size_t> places_taken_{0};
  std::mutex mutex_;
  bool is_there_ = false;
  std::set<std::string> left_alone_;  // connections with an open breaker
  Clock::time_point looked_at_{};
  std::mutex watched_mutex_;
  std::vector<stores::BankState> watched_;
  Clock::time_point watched_at_{};
};

}  // namespace pixledger::http
