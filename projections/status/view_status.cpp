#include "projections/status/view_status.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "projections/status/worker_state.h"
#include "projections/storage/lmdb_damage.h"
#include "projections/storage/log_cursor.h"
#include "projections/storage/view_marker.h"
#include "projections/views/view_cursor.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

// Files that are not fsynced may be damaged after a crash of the machine: those are not opened.
bool is_trusted(const fs::path& directory, const eventstore::Log& log) {
  if (!fs::exists(directory / "data.mdb")) return false;
  const auto marker = ViewMarker::read(directory);
  return marker && marker->trusted_by(ViewMarker::of(directory, log.identity(), false));
}

bool agrees(const LogCursor& cursor, const eventstore::Log& log) {
  try {
    check_cursor(cursor, log);
    return true;
  } catch (const CursorMismatch&) {
    return false;
  }
}

// "2-17"
std::optional<std::pair<std::uint32_t, std::uint64_t>> numbers_of(const std::string& name) {
  std::uint32_t version = 0;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [hyphen, error] = std::from_chars(name.data(), end, version);
  if (error != std::errc() || hyphen == end || *hyphen != '-') return std::nullopt;
  const auto [stop, second_error] = std::from_chars(hyphen + 1, end, number);
  if (second_error != std::errc() || stop != end) return std::nullopt;
  return std::pair(version, number);
}

void look_into(GenerationStatus& status, const fs::path& directory, const eventstore::Log& log,
               const eventstore::LmdbOptions& options) {
  if (!is_trusted(directory, log)) return;
  const auto cursor = peek_cursor(directory, options);
  status.position = cursor.position;
  status.of_this_log = agrees({log.identity(), cursor.position, cursor.leaf_hash}, log);
}

}  // namespace

std::vector<GenerationStatus> generation_statuses(const fs::path& views, const eventstore::Log& log,
                                                  const eventstore::LmdbOptions& options) {
  std::vector<std::pair<std::pair<std::uint32_t, std::uint64_t>, GenerationStatus>> found;
  if (!fs::exists(views)) return {};
  for (const auto& entry : fs::directory_iterator(views)) {
    const auto name = entry.path().filename().string();
    const auto numbers = numbers_of(name);
    if (!numbers || !entry.is_directory()) continue;
    GenerationStatus status{name, numbers->first, fs::exists(entry.path() / "COMPLETE"), std::nullopt};
    try {
      look_into(status, entry.path(), log, options);
    } catch (const ViewsDamaged&) {
      // Shown without a position.
    } catch (const std::system_error& refused) {
      if (refused.code() != std::errc::no_such_file_or_directory) throw;
      // It went away.
    }
    found.emplace_back(*numbers, std::move(status));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GenerationStatus> statuses;
  for (auto& [numbers, status] : found) statuses.push_back(std::move(status));
  return statuses;
}

std::vector<WorkerStatus> worker_statuses(const fs::path& workers, const eventstore::Log& log,
                                          const eventstore::LmdbOptions& options) {
  std::vector<WorkerStatus> statuses;
  for (const std::string name : kWorkerNames) {
    if (!fs::is_directory(workers / name)) continue;
    WorkerStatus status{name, std::nullopt};
    try {
      const auto worker =
          read_or_damaged<WorkerDatabaseDamaged>([&] { return find_worker(workers, name, options); });
      if (worker && worker->cursor) {
        status.position = worker->cursor->position;
        status.of_this_log = agrees(*worker->cursor, log);
      }
    } catch (const WorkerDatabaseDamaged&) {
      // As above.
    } catch (const Poco::Exception&) {
      // As above.
    }
    statuses.push_back(std::move(status));
  }
  std::sort(statuses.begin(), statuses.end(),
            [](const WorkerStatus& a, const WorkerStatus& b) { return a.name < b.name; });
  return statuses;
}

}  // namespace pixledger::projections
