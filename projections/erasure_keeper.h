#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "projections/current_views.h"

namespace pixledger::projections {

struct ErasureKeeperOptions {
  std::chrono::milliseconds look_every{100};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{10'000};  // with snapshots of the rows that are being read
};

// Does the part of a customer's erasure that is up to the process that has the views, when somebody asks for
// it beside them: overwrites what the rows' file still holds of him, writes the lists' snapshot without him,
// and notes that it is done. Owns one thread. The views outlive it.
class ErasureKeeper {
 public:
  // `rinse_ledger` comes first: this process writes personal data to the ledger as well (see lmdb_wipe.h).
  // `on_fault` is told, on the keeper's thread, why it did not succeed; it goes on trying.
  ErasureKeeper(const CurrentViews& views, std::function<void()> rinse_ledger,
                std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options = {});
  ~ErasureKeeper();
  ErasureKeeper(const ErasureKeeper&) = delete;
  ErasureKeeper& operator=(const ErasureKeeper&) = delete;

 private:
  void run();
  // How long to wait until the next look.
  std::chrono::milliseconds look();
  void finish(const ViewStore& store, std::uint64_t request);

  const CurrentViews& views_;
  std::function<void()> rinse_ledger_;
  std::function<void(const std::string&)> on_fault_;
  const ErasureKeeperOptions options_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

// Asks the keeper of the views, whoever that is now or later, for its part of an erasure at that position,
// whose personal bytes are gone from the ledger already. Returns the request's number. One caller at a time.
std::uint64_t request_erasure(const std::filesystem::path& views, domain::Position erased);
// Whether a generation's keeper has done that.
bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request);

}  // namespace pixledger::projections
