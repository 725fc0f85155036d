#include "projections/generation.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "eventstore/codec.h"
#include "projections/view_marker.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

constexpr const char* kComplete = "COMPLETE";
constexpr std::size_t kEventsPerRead = 4096;

struct Candidate {
  std::uint64_t number;
  fs::path directory;
};

// Those of this set version, newest first.
std::vector<Candidate> find_generations(const fs::path& views) {
  std::vector<Candidate> found;
  const auto prefix = std::to_string(kViewSetVersion) + "-";
  for (const auto& entry : fs::directory_iterator(views)) {
    const auto name = entry.path().filename().string();
    if (!entry.is_directory() || name.compare(0, prefix.size(), prefix) != 0) continue;
    const auto digits = name.substr(prefix.size());
    const bool is_number =
        !digits.empty() && digits.size() < 19 &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number) found.push_back({std::stoull(digits), entry.path()});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  return found;
}

bool has_trusted_marker(const fs::path& directory, const eventstore::LogIdentity& identity) {
  if (!fs::exists(directory / kComplete) || !fs::exists(directory / "data.mdb")) return false;
  const auto marker = ViewMarker::read(directory);
  return marker && marker->trusted_by(ViewMarker::of(directory, identity, false));
}

bool agrees_with_log(const ViewCursor& cursor, const eventstore::Log& log) {
  if (cursor.position == domain::Position()) return true;
  return log.leaf_hash(cursor.position) == cursor.leaf_hash;
}

}  // namespace

Generation::Generation(const fs::path& directory, const eventstore::Log& log,
                       const eventstore::LmdbOptions& options)
    : directory_(directory), identity_(log.identity()), store_(directory, options) {
  // Before the first write, so that nothing half written can be taken for clean.
  ViewMarker::of(directory_, identity_, false).write(directory_);
}

Generation::~Generation() {
  try {
    store_.save_lists();
    store_.sync();
    ViewMarker::of(directory_, identity_, true).write(directory_);
  } catch (const std::exception&) {
    // The marker stays dirty: trusted on this boot, built again after the next.
  }
}

std::unique_ptr<Generation> Generation::open_trusted(const fs::path& directory, const eventstore::Log& log,
                                                     const eventstore::LmdbOptions& options) {
  if (!has_trusted_marker(directory, log.identity())) return nullptr;
  std::unique_ptr<Generation> generation;
  try {
    generation.reset(new Generation(directory, log, options));
    if (!agrees_with_log(generation->store_.cursor(), log)) return nullptr;
    generation->store_.load_lists(log);
  } catch (const eventstore::LmdbError& error) {
    // Its own codes are negative: these files are no store. What the system refuses (memory, rights) would be
    // refused to a new generation too.
    if (error.code() > 0) throw;
    return nullptr;
  } catch (const std::system_error&) {
    throw;
  } catch (const std::runtime_error&) {
    return nullptr;
  }
  return generation;
}

std::unique_ptr<Generation> Generation::open_or_build(const fs::path& views, const eventstore::Log& log,
                                                      const eventstore::LmdbOptions& options,
                                                      const BuildProgress& progress) {
  auto store_options = options;
  store_options.sync = false;
  fs::create_directories(views);
  std::uint64_t next_number = 1;
  std::unique_ptr<Generation> opened;
  for (const auto& candidate : find_generations(views)) {
    next_number = std::max(next_number, candidate.number + 1);
    auto trusted = opened ? nullptr : open_trusted(candidate.directory, log, store_options);
    if (trusted) {
      opened = std::move(trusted);
    } else {
      fs::remove_all(candidate.directory);
    }
  }
  if (opened) {
    catch_up(opened->store_, log, progress);
    return opened;
  }
  const auto directory = views / (std::to_string(kViewSetVersion) + "-" + std::to_string(next_number));
  fs::create_directory(directory);
  std::unique_ptr<Generation> built(new Generation(directory, log, store_options));
  built->store_.load_lists(log);
  catch_up(built->store_, log, progress);
  built->store_.sync();
  write_file_durably(directory / kComplete, "");
  return built;
}

std::optional<fs::path> find_trusted_generation(const fs::path& views,
                                                const eventstore::LogIdentity& identity) {
  if (!fs::is_directory(views)) return std::nullopt;
  for (const auto& candidate : find_generations(views)) {
    if (has_trusted_marker(candidate.directory, identity)) return candidate.directory;
  }
  return std::nullopt;
}

std::uint64_t catch_up(ViewStore& store, const eventstore::Log& log, const BuildProgress& progress) {
  auto position = store.cursor().position;
  std::uint64_t applied = 0;
  const auto total = log.head().position.value() - position.value();
  while (true) {
    const auto stored = log.read_after(position, kEventsPerRead);
    if (stored.empty()) return applied;
    std::vector<domain::RecordedEvent> events;
    events.reserve(stored.size());
    for (const auto& bytes : stored) events.push_back(eventstore::decode(bytes));
    position = events.back().position;
    store.apply(events, log.leaf_hash(position).value());
    applied += events.size();
    if (progress) progress(applied, total);
  }
}

}  // namespace pixledger::projections
