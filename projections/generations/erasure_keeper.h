#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "projections/generations/current_views.h"

namespace pixledger::projections {

struct ErasureKeeperOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{10'000};  // with snapshots of the rows that are being read
};

// Does the part of a customer's erasure that is up to the process that has the views, when somebody asks for
// it beside them (erasure_request.h): overwrites what the rows' file still holds of them, writes the lists'
// snapshot without them, and notes that it is done. Owns one thread. The views outlive it.
class ErasureKeeper {
 public:
  // `forget` comes first: this process has personal data in memory, and writes it to the ledger as well,
  // whose buffers are to be overwritten (see lmdb_scrub.h). `on_fault` is told, on the keeper's thread, why
  // it did not succeed; it goes on trying.
  ErasureKeeper(const CurrentViews& views, std::function<void()> forget,
                std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options = {});
  // Ends what is under way between two of its steps.
  ~ErasureKeeper();
  ErasureKeeper(const ErasureKeeper&) = delete;
  ErasureKeeper& operator=(const ErasureKeeper&) = delete;

 private:
  struct Stopped {};

  void run();
  // How long to wait until the next look.
  std::chrono::milliseconds look();
  void finish(const ViewDatabase& database, std::uint64_t request);
  void check_not_stopping();

  const CurrentViews& views_;
  std::function<void()> forget_;
  std::function<void(const std::string&)> on_fault_;
  const ErasureKeeperOptions options_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::projections
