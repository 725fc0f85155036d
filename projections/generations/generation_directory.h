#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/owner_lock.h"
#include "projections/views/row_codec.h"

// The directories of generations: `views/<set version>-<n>/`. A generation is complete if its file COMPLETE
// exists. It is being built while a process holds the lock on its file BUILDING. If neither, it is left over
// from an interrupted build.
namespace pixledger::projections {

// Goes up by itself with each new field of a row. When the projections or their rows change otherwise, also
// when a row loses a field: set the first number one above the version, and the second to kRowFieldCount.
constexpr std::uint32_t kViewSetVersion = 14 + (kRowFieldCount - 142);

// Beside the generations: an OwnerLock of a process that builds a generation next to a server. Held from
// before it reads the ledger until the server has adopted the generation.
inline constexpr const char* kRebuildLock = "rebuild.lock";

struct GenerationDirectory {
  std::uint32_t set_version;
  std::uint64_t number;
  std::filesystem::path path;

  bool is_complete() const;
};

// The n of `<set version>-<n>`.
std::uint64_t number_of(const std::filesystem::path& generation);

// All set versions, newest first. Empty if there is no such directory.
std::vector<GenerationDirectory> find_generations(const std::filesystem::path& views);
// Those of this release's set version.
std::vector<GenerationDirectory> find_own_generations(const std::filesystem::path& views);

// A generation that is being built; create it before reading the ledger. The destructor deletes it unless
// completed. After a kill, remove_unfinished deletes it.
class UnfinishedGeneration {
 public:
  // Creates the directory, numbered above all others of this set version and at least `number_min`.
  explicit UnfinishedGeneration(const std::filesystem::path& views, std::uint64_t number_min = 1);
  ~UnfinishedGeneration();
  UnfinishedGeneration(const UnfinishedGeneration&) = delete;
  UnfinishedGeneration& operator=(const UnfinishedGeneration&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The last step: the content must already be durable.
  void complete();

 private:
  std::filesystem::path path_;
  std::unique_ptr<OwnerLock> building_;
};

// Removes remains of interrupted builds of this set version.
void remove_unfinished(const std::filesystem::path& views);

// A generation that disagrees with the ledger may be the only trace of a rewritten ledger. It is moved to
// `views/kept-<set version>-<n>/`, which no process opens, and operators delete it. At most this many are
// kept: the first ones, and only one for each kind of disagreement.
inline constexpr std::size_t kKeptGenerationsMax = 2;

struct KeptGeneration {
  std::filesystem::path path;
  std::string why;  // of mark_disagreement
};

// Oldest first.
std::vector<KeptGeneration> find_kept_generations(const std::filesystem::path& views);
bool is_kept_generation(const std::filesystem::path& directory);
// The path where a generation is kept.
std::filesystem::path kept_path(const std::filesystem::path& generation);
// Makes discard_generation keep the generation. `why` must contain no personal data. Durable on return.
void mark_disagreement(const std::filesystem::path& generation, const std::string& why);
// Deletes a generation so that an interrupted deletion leaves no valid one, or keeps it and returns the path.
// No process may have it open.
std::optional<std::filesystem::path> discard_generation(const std::filesystem::path& generation);

}  // namespace pixledger::projections
