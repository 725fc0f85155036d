#include "projections/generations/generation_directory.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "base/platform/durable_files.h"
#include "projections/generations/erasure.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

constexpr const char* kComplete = "COMPLETE";
constexpr const char* kBuilding = "BUILDING";
constexpr const char* kDisagrees = "DISAGREES";
constexpr std::string_view kKeptPrefix = "kept-";
// Held while a directory gets its lock, and while directories without a lock are removed.
constexpr const char* kNumbersLock = "numbers.lock";
constexpr std::chrono::seconds kNumbersWait{60};

std::unique_ptr<OwnerLock> lock_numbers(const fs::path& views) {
  return OwnerLock::take_within(views / kNumbersLock, kNumbersWait);
}

// "3-17", or the part after `prefix`.
std::optional<GenerationDirectory> parse_name(const fs::path& path, std::string_view prefix = "") {
  auto name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  name.erase(0, prefix.size());
  GenerationDirectory found{0, 0, path};
  const char* const end = name.data() + name.size();
  const auto [hyphen, error] = std::from_chars(name.data(), end, found.set_version);
  if (error != std::errc() || hyphen == end || *hyphen != '-') return std::nullopt;
  const auto [stop, second_error] = std::from_chars(hyphen + 1, end, found.number);
  if (second_error != std::errc() || stop != end) return std::nullopt;
  return found;
}

// Newest first.
std::vector<GenerationDirectory> find_named(const fs::path& views, std::string_view prefix) {
  std::vector<GenerationDirectory> found;
  if (!fs::is_directory(views)) return found;
  for (const auto& entry : fs::directory_iterator(views)) {
    auto generation = parse_name(entry.path(), prefix);
    std::error_code gone;
    if (generation && entry.is_directory(gone)) found.push_back(*std::move(generation));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.set_version, a.number) > std::tie(b.set_version, b.number);
  });
  return found;
}

bool may_be_kept(const fs::path& views, const std::string& why) {
  const auto kept = find_kept_generations(views);
  return kept.size() < kKeptGenerationsMax &&
         std::none_of(kept.begin(), kept.end(), [&](const auto& one) { return one.why == why; });
}

void remove_generation(const fs::path& directory) {
  fs::remove(directory / kComplete);
  fs::remove_all(directory);
}

}  // namespace

std::uint64_t number_of(const fs::path& generation) {
  const auto parsed = parse_name(generation);
  if (!parsed) throw std::runtime_error(generation.string() + " is not the name of a generation");
  return parsed->number;
}

bool GenerationDirectory::is_complete() const { return fs::exists(path / kComplete); }

std::vector<GenerationDirectory> find_generations(const fs::path& views) { return find_named(views, ""); }

std::vector<GenerationDirectory> find_own_generations(const fs::path& views) {
  auto found = find_generations(views);
  std::erase_if(found, [](const auto& one) { return one.set_version != kViewSetVersion; });
  return found;
}

UnfinishedGeneration::UnfinishedGeneration(const fs::path& views, std::uint64_t number_min) {
  fs::create_directories(views);
  const auto numbers = lock_numbers(views);
  auto number = number_min;
  for (const auto& other : find_own_generations(views)) number = std::max(number, other.number + 1);
  // It may have to be kept beside those later.
  for (const auto& kept : find_named(views, kKeptPrefix)) number = std::max(number, kept.number + 1);
  path_ = views / (std::to_string(kViewSetVersion) + "-" + std::to_string(number));
  fs::create_directory(path_);
  building_ = OwnerLock::take_within(path_ / kBuilding, std::chrono::milliseconds(0));
  // The ledger no longer contains what earlier requests removed, so this generation does not either.
  if (const auto request = last_erasure_request(views).number; request > 0) note_erasure_done(path_, request);
}

UnfinishedGeneration::~UnfinishedGeneration() {
  std::error_code ignored;
  // Another process may have completed it: a child that inherited the lock.
  if (!building_ || fs::exists(path_ / kComplete, ignored)) return;
  fs::remove_all(path_, ignored);
}

void UnfinishedGeneration::complete() {
  write_durably(path_ / kComplete, "");
  fs::remove(path_ / kBuilding);
  building_.reset();
}

void remove_unfinished(const fs::path& views) {
  const auto all = find_own_generations(views);
  if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.is_complete(); })) return;
  const auto numbers = lock_numbers(views);
  for (const auto& one : find_own_generations(views)) {
    if (one.is_complete()) continue;
    const auto abandoned = OwnerLock::try_take(one.path / kBuilding);
    if (!abandoned) continue;
    // Its builder may just have completed it and released the lock.
    if (one.is_complete())
      fs::remove(one.path / kBuilding);
    else
      fs::remove_all(one.path);
  }
}

std::vector<KeptGeneration> find_kept_generations(const fs::path& views) {
  std::vector<KeptGeneration> kept;
  for (auto& one : find_named(views, kKeptPrefix))
    kept.push_back({one.path, read_if_there(one.path / kDisagrees).value_or("")});
  std::reverse(kept.begin(), kept.end());
  return kept;
}

fs::path kept_path(const fs::path& generation) {
  return generation.parent_path() / (std::string(kKeptPrefix) + generation.filename().string());
}

bool is_kept_generation(const fs::path& directory) { return parse_name(directory, kKeptPrefix).has_value(); }

void mark_disagreement(const fs::path& generation, const std::string& why) {
  write_durably(generation / kDisagrees, why);
}

std::optional<fs::path> discard_generation(const fs::path& generation) {
  const auto why = read_if_there(generation / kDisagrees);
  if (!why || !may_be_kept(generation.parent_path(), *why)) {
    remove_generation(generation);
    return std::nullopt;
  }
  auto kept = kept_path(generation);
  fs::rename(generation, kept);
  return kept;
}

}  // namespace pixledger::projections
