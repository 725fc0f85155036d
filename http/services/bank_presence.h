#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>

namespace pixledger::http {

// Whether it is any use to wait for what a bank says: its worker is another process, which speaks through the
// ledger. Thread-safe.
class BankPresence {
 public:
  static constexpr std::size_t kCodeWaitsMax = 128;

  // `workers`: the directory with one for each worker.
  explicit BankPresence(std::filesystem::path workers) : workers_(std::move(workers)) {}

  // There is a worker, and room for one more creation that waits for its code.
  bool may_await_code();
  // Counts one of these for as long as what it returns is there. The server outlives it.
  std::shared_ptr<void> count_code_wait();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_worker_there();

  const std::filesystem::path workers_;
  std::atomic<std::size_t> code_waits_{0};
  std::mutex mutex_;
  bool is_there_ = false;
  Clock::time_point looked_at_{};
};

}  // namespace pixledger::http
