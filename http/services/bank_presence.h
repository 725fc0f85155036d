#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "domain/values/cuid.h"
#include "stores/status/provider_state.h"

namespace pixledger::http {

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
