#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "eventstore/log/log.h"
#include "projections/generations/generation_directory.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// Generations of read models. They are not fsynced while they are in use, so a marker says whether what is on
// the disk can be trusted; if not, they are built again.

// Told from time to time while a generation is built: events applied, events in all.
using BuildProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// A generation that was there and is of another history than the ledger.
struct Disagreement {
  std::string generation;  // "3-17"
  std::string why;
  std::optional<std::filesystem::path> kept;  // where it is kept; none: so many are kept already
};
using OnDisagreement = std::function<void(const Disagreement& found)>;

// A generation that this process owns, trusted and open. Closing it cleanly (destructor) syncs it and says so
// in its marker.
class Generation {
 public:
  // Opens the newest complete generation that can be trusted, or builds one by replaying the log; others of
  // this set version that are complete, and what interrupted builds left, are deleted, and so are those of
  // earlier set versions; but those that disagree with the log are kept (discard_generation), and told of.
  // The caller owns `views` (OwnerLock).
  static std::unique_ptr<Generation> open_or_build(const std::filesystem::path& views,
                                                   const eventstore::Log& log,
                                                   const eventstore::LmdbOptions& options,
                                                   const BuildProgress& progress = {},
                                                   const OnDisagreement& on_disagreement = {});
  // A complete one. Null when it cannot be trusted or is damaged; throws
  // what the system refuses. The caller owns `views`.
  static std::unique_ptr<Generation> open(const GenerationDirectory& directory, const eventstore::Log& log,
                                          eventstore::LmdbOptions options);
  // One that is being built, as far as it has come.
  static std::unique_ptr<Generation> open_unfinished(const std::filesystem::path& directory,
                                                     const eventstore::Log& log,
                                                     eventstore::LmdbOptions options);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  ViewDatabase& database() { return *database_; }
  const std::filesystem::path& directory() const { return directory_; }

  // Saves the lists, syncs the rows and says so in the marker, as the destructor does; throws when it cannot
  // be done. Nothing is applied afterwards.
  void close();
  // From now on the destructor discards it instead.
  void retire() { retired_ = true; }

 private:
  Generation(const std::filesystem::path& directory, const eventstore::Log& log,
             const eventstore::LmdbOptions& options);
  void load_lists(const eventstore::Log& log);

  std::filesystem::path directory_;
  eventstore::LogIdentity identity_;
  std::unique_ptr<ViewDatabase> database_;
  bool closed_ = true;  // or not open yet: nothing may be said to be clean then
  bool retired_ = false;
};

// The newest complete generation that open_or_build would open. Nothing is opened or changed, so its owner
// may be at work.
std::optional<std::filesystem::path> find_trusted_generation(const std::filesystem::path& views,
                                                             const eventstore::LogIdentity& identity);

// Why a generation that can be trusted is of another history than the log, as far as its cursor
// tells: the log has another event at that position, or none. Nothing where it agrees, and where nobody can
// tell: one that is damaged, not to be trusted, or of another ledger or epoch, as after a restore. Nothing is
// changed.
std::optional<std::string> find_disagreement(const std::filesystem::path& generation,
                                             const eventstore::Log& log,
                                             const eventstore::LmdbOptions& options);

// Applies what the log has beyond the database's cursor, up to `end` and no further; returns the number of
// events.
std::uint64_t catch_up(ViewDatabase& database, const eventstore::Log& log, const BuildProgress& progress = {},
                       Position end = eventstore::kNoLimit);

// The generation in use, which may be exchanged for a newer one at any moment. Thread-safe.
class CurrentViews {
 public:
  explicit CurrentViews(std::shared_ptr<Generation> generation) : generation_(std::move(generation)) {}

  // For one look at a time: as long as somebody holds it, a generation that was exchanged is not deleted. A
  // later call gives the same database or one that has come at least as far.
  std::shared_ptr<const ViewDatabase> database() const {
    auto generation = in_use();
    return {generation, &generation->database()};
  }
  std::shared_ptr<Generation> in_use() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  // Both stand at the same position. Returns the one that was in use.
  std::shared_ptr<Generation> exchange(std::shared_ptr<Generation> next) {
    const std::lock_guard lock(mutex_);
    generation_.swap(next);
    return next;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Generation> generation_;
};

}  // namespace pixledger::projections
