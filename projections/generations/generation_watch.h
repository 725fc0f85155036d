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
  // Retry interval after a failed adoption: disk space or memory may have been short.
  std::chrono::milliseconds retry_every{60'000};
  // Called on the watch's thread; a refusal is reported once.
  std::function<void(const std::string& name)> on_adopted{};
  std::function<void(const std::string& name, const std::string& reason)> on_refused{};
};

// Finds a newer complete generation of this release's set version, opens it and brings it up to the one in
// use. Then it has the two exchanged, and deletes the old one after its last reader. Also removes the remains
// of interrupted builds. Ignores other set versions. Owns one low-priority thread; the destructor leaves a
// generation that is not adopted yet untouched.
class GenerationWatch {
 public:
  // All arguments must outlive it. The process owns the generations' directory.
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
  std::map<std::filesystem::path, std::chrono::steady_clock::time_point> refused_;  // and when to retry
  std::atomic<std::uint64_t> adopted_ = 0;
  Periodic thread_;
};

struct ListSaverOptions {
  std::uint64_t every_events = 1'000'000;
  std::chrono::milliseconds every{10 * 60 * 1000};
  std::chrono::milliseconds look_every{1000};
};

// Saves the lists' snapshot periodically, so that a start after a kill has few events to read again. Owns one
// thread. Views and projector must outlive it.
class ListSaver {
 public:
  // Calls `on_fault` on the saver's thread with the reason of a failed write; the next snapshot is tried when
  // due.
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
