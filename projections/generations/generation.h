#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "eventstore/lmdb/derived_checkpoints.h"
#include "eventstore/log/log.h"
#include "projections/generations/generation_directory.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// Generations of read models. LMDB does not sync them; checkpoints make their state durable
// (derived_checkpoints.h), from which they replay the log. Without a checkpoint they are rebuilt.

// Called periodically during a build: events applied, events in all.
using BuildProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// An existing generation whose history differs from the ledger's.
struct Disagreement {
  std::string generation;  // "3-17"
  std::string why;
  std::optional<std::filesystem::path> kept;  // where it is kept; nullopt if the limit of kept generations is
                                              // reached
};
using OnDisagreement = std::function<void(const Disagreement& found)>;

// A generation that this process owns and has open. A close (destructor) makes a last checkpoint.
class Generation {
 public:
  // Opens the newest complete generation that can be trusted, or builds one by replaying the log. Deletes
  // other complete generations of this set version, remains of interrupted builds, and earlier set versions.
  // Generations that disagree with the log are kept instead (discard_generation) and reported. The caller
  // owns `views` (OwnerLock).
  static std::unique_ptr<Generation> open_or_build(const std::filesystem::path& views,
                                                   const eventstore::Log& log,
                                                   const eventstore::LmdbOptions& options,
                                                   const BuildProgress& progress = {},
                                                   const OnDisagreement& on_disagreement = {});
  // Opens a complete generation. Null if it cannot be trusted or is damaged; throws system errors. The caller
  // owns `views`.
  static std::unique_ptr<Generation> open(const GenerationDirectory& directory, const eventstore::Log& log,
                                          eventstore::LmdbOptions options);
  // Opens a generation that is still being built, at its current position.
  static std::unique_ptr<Generation> open_unfinished(const std::filesystem::path& directory,
                                                     const eventstore::Log& log,
                                                     eventstore::LmdbOptions options);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  ViewDatabase& database() { return *database_; }
  const std::filesystem::path& directory() const { return directory_; }

  // Makes one now, throws on failure. From the first one on, there is one each second.
  void make_checkpoint();
  // Writes the lists' snapshot, which the newest checkpoint covers, while the database stays in use.
  void save_lists();
  // Saves the lists and makes a last checkpoint, as the destructor does; throws on failure. Nothing may be
  // applied afterwards.
  void close();
  // Makes the destructor discard the generation instead.
  void retire() { retired_ = true; }

 private:
  Generation(const std::filesystem::path& directory, const eventstore::Log& log,
             const eventstore::LmdbOptions& options);
  void load_lists(const eventstore::Log& log);

  std::filesystem::path directory_;
  eventstore::LogIdentity identity_;
  std::unique_ptr<ViewDatabase> database_;
  std::unique_ptr<eventstore::DerivedCheckpoints> checkpoints_;  // null: being built, or closed
  bool is_loaded_ = false;
  bool retired_ = false;
};

// Returns the newest complete generation that can be read as it is. Opens and changes nothing, so its owner
// may be running.
std::optional<std::filesystem::path> find_trusted_generation(const std::filesystem::path& views,
                                                             const eventstore::LogIdentity& identity);

// Returns why a trusted generation has another history than the log: at the cursor's position the log has
// another event or none. Nullopt if they agree or it cannot be checked: the generation is damaged, untrusted,
// or of another ledger or epoch, as after a restore. Changes nothing.
std::optional<std::string> find_disagreement(const std::filesystem::path& generation,
                                             const eventstore::Log& log,
                                             const eventstore::LmdbOptions& options);

// Applies the log's events after the database's cursor, up to `end`; returns the number of events.
std::uint64_t catch_up(ViewDatabase& database, const eventstore::Log& log, const BuildProgress& progress = {},
                       Position end = eventstore::kNoLimit);

// The generation in use, which may be exchanged for a newer one at any time. Thread-safe.
class CurrentViews {
 public:
  explicit CurrentViews(std::shared_ptr<Generation> generation) : generation_(std::move(generation)) {}

  // Hold it for one read only: an exchanged generation is not deleted while it is held. A later call returns
  // the same database or one at least as far.
  std::shared_ptr<const ViewDatabase> database() const {
    auto generation = in_use();
    return {generation, &generation->database()};
  }
  std::shared_ptr<Generation> in_use() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  // Both must be at the same position. Returns the previous generation.
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
