#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "projections/generations/current_views.h"
#include "projections/generations/projector.h"

namespace pixledger::projections {

struct ListSaverOptions {
  std::uint64_t every_events = 1'000'000;
  std::chrono::milliseconds every{10 * 60 * 1000};
  std::chrono::milliseconds look_every{1000};
};

// Writes the lists' snapshot from time to time, so that a start after a kill has little to read again. Owns
// one thread. Views and projector outlive it.
class ListSaver {
 public:
  // `on_fault` is told, on the saver's thread, why a snapshot could not be written; the next one is tried
  // when it is due.
  ListSaver(const CurrentViews& views, const Projector& projector,
            std::function<void(const std::string&)> on_fault, ListSaverOptions options = {});
  ~ListSaver();
  ListSaver(const ListSaver&) = delete;
  ListSaver& operator=(const ListSaver&) = delete;

 private:
  void run();
  void save();
  bool is_due(std::chrono::steady_clock::time_point now) const;

  const CurrentViews& views_;
  const Projector& projector_;
  std::function<void(const std::string&)> on_fault_;
  ListSaverOptions options_;
  Position saved_;
  std::chrono::steady_clock::time_point saved_at_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::projections
