#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "eventstore/log.h"
#include "projections/view_store.h"

// Generations of read models: `views/<set version>-<n>/`. One is complete when its file COMPLETE exists. Read
// models are not fsynced, so a marker says whether what is on the disk can be trusted; if not, they are built
// again.
namespace pixledger::projections {

// Goes up whenever the projections or the form of their rows change.
constexpr std::uint32_t kViewSetVersion = 4;

// Told from time to time while a generation is built: events applied, events in all.
using BuildProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// A generation that this process owns, trusted and open. Closing it cleanly (destructor) syncs it and says so
// in its marker.
class Generation {
 public:
  // Opens the newest complete generation that can be trusted, or builds one by replaying the log; others of
  // this set version that cannot be trusted are deleted. The caller owns `views` (OwnerLock).
  static std::unique_ptr<Generation> open_or_build(const std::filesystem::path& views,
                                                   const eventstore::Log& log,
                                                   const eventstore::LmdbOptions& options,
                                                   const BuildProgress& progress = {});
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  ViewStore& store() { return store_; }

 private:
  Generation(const std::filesystem::path& directory, const eventstore::Log& log,
             const eventstore::LmdbOptions& options);
  // Null when it cannot be trusted or is damaged.
  static std::unique_ptr<Generation> open_trusted(const std::filesystem::path& directory,
                                                  const eventstore::Log& log,
                                                  const eventstore::LmdbOptions& options);

  std::filesystem::path directory_;
  eventstore::LogIdentity identity_;
  ViewStore store_;
};

// The newest complete generation that open_or_build would open. Nothing is opened or changed, so its owner
// may be at work.
std::optional<std::filesystem::path> find_trusted_generation(const std::filesystem::path& views,
                                                             const eventstore::LogIdentity& identity);

// Applies what the log has beyond the store's cursor; returns the number of events.
std::uint64_t catch_up(ViewStore& store, const eventstore::Log& log, const BuildProgress& progress = {});

}  // namespace pixledger::projections
