#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/owner_lock.h"

// The directories of generations: `views/<set version>-<n>/`. One is complete when its file COMPLETE exists,
// and being built for as long as somebody holds the lock on its file BUILDING; neither is what an interrupted
// build has left.
namespace pixledger::projections {

// Goes up whenever the projections or the form of their rows change.
constexpr std::uint32_t kViewSetVersion = 13;

// Beside them: an OwnerLock of whoever builds one next to a server, from before it reads the ledger until the
// server has adopted it.
inline constexpr const char* kRebuildLock = "rebuild.lock";

struct GenerationDirectory {
  std::uint32_t set_version;
  std::uint64_t number;
  std::filesystem::path path;

  bool is_complete() const;
};

// The n of `<set version>-<n>`.
std::uint64_t number_of(const std::filesystem::path& generation);

// Of all set versions, the newest first. Empty when there is no such directory.
std::vector<GenerationDirectory> find_generations(const std::filesystem::path& views);
// Those of this release's set version.
std::vector<GenerationDirectory> find_own_generations(const std::filesystem::path& views);

// A generation that is being built: made before the ledger is read for it. What is not completed goes with
// it; if the process is killed before, remove_unfinished finds it.
class UnfinishedGeneration {
 public:
  // Makes the directory, with a number above those of all others of this set version, and at least
  // `number_min`.
  explicit UnfinishedGeneration(const std::filesystem::path& views, std::uint64_t number_min = 1);
  ~UnfinishedGeneration();
  UnfinishedGeneration(const UnfinishedGeneration&) = delete;
  UnfinishedGeneration& operator=(const UnfinishedGeneration&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The last step: what is in it is durable by now.
  void complete();

 private:
  std::filesystem::path path_;
  std::unique_ptr<OwnerLock> building_;
};

// Removes what interrupted builds of this set version have left.
void remove_unfinished(const std::filesystem::path& views);

// Generations that were not what the ledger says may be the only trace of a ledger that was rewritten. So
// they are moved aside as `views/kept-<set version>-<n>/` instead of being deleted, where nobody opens them,
// and people remove them: at most so many, the first ones, and of those that disagree in the same way one.
inline constexpr std::size_t kKeptGenerationsMax = 2;

struct KeptGeneration {
  std::filesystem::path path;
  std::string why;  // of mark_disagreement
};

// The oldest first.
std::vector<KeptGeneration> find_kept_generations(const std::filesystem::path& views);
bool is_kept_generation(const std::filesystem::path& directory);
// Where a generation is kept.
std::filesystem::path kept_path(const std::filesystem::path& generation);
// Has a generation kept when it is discarded. `why` holds nothing personal. Durable on return.
void mark_disagreement(const std::filesystem::path& generation, const std::string& why);
// Deletes a generation so that, if interrupted, nobody takes the rest for one; or keeps it, and returns
// where. Nobody has it open.
std::optional<std::filesystem::path> discard_generation(const std::filesystem::path& generation);

}  // namespace pixledger::projections
