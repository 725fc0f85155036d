#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/platform/periodic.h"
#include "projections/generations/generation.h"
#include "projections/generations/projector.h"

namespace pixledger::projections {

struct GenerationWatchOptions {
  eventstore::LmdbOptions lmdb{};
  std::chrono::milliseconds look_every{1000};
  // One that could not be adopted is tried again: there may have been no room, or no memory, for a while.
  std::chrono::milliseconds retry_every{60'000};
  // Told on the watch's thread; of a refusal once.
  std::function<void(const std::string& name)> on_adopted{};
  std::function<void(const std::string& name, const std::string& reason)> on_refused{};
};

// Looks for a newer complete generation of this release's set version beside the one in use, opens it, brings
// it up to the one in use, has the two exchanged, and deletes the old one when its last reader has gone. Also
// removes what interrupted builds left. Generations of other set versions are none of its business. Owns one
// thread, of low priority; the destructor leaves alone what has not been adopted yet.
class GenerationWatch {
 public:
  // Everything outlives it. The process owns the directory of the generations.
  GenerationWatch(CurrentViews& views, Projector& projector, const eventstore::Log& log,
                  GenerationWatchOptions options);

  std::uint64_t adopted() const { return adopted_.load(); }

 private:
  struct Stopped {};

  void look();
  void adopt(const GenerationDirectory& found);
  void bring_near(Generation& next);
  void retire(std::shared_ptr<Generation> old);
  bool may_try(const std::filesystem::path& generation) const;
  void refuse(const std::filesystem::path& path, const std::exception& fault);

  CurrentViews& views_;
  Projector& projector_;
  const eventstore::Log& log_;
  const GenerationWatchOptions options_;
  const std::filesystem::path directory_;
  std::map<std::filesystem::path, std::chrono::steady_clock::time_point> refused_;  // and when to try again
  std::atomic<std::uint64_t> adopted_ = 0;
  Periodic thread_;
};

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

 private:
  void save();
  bool is_due(std::chrono::steady_clock::time_point now) const;

  const CurrentViews& views_;
  const Projector& projector_;
  std::function<void(const std::string&)> on_fault_;
  ListSaverOptions options_;
  Position saved_;
  std::chrono::steady_clock::time_point saved_at_;
  Periodic thread_;
};

}  // namespace pixledger::projections
