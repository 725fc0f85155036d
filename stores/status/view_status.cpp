#include "stores/status/view_status.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <system_error>
#include <utility>

#include "eventstore/lmdb/derived_checkpoints.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "eventstore/reading/log_cursor.h"
#include "projections/generations/generation_directory.h"
#include "projections/views/view_tables.h"
#include "stores/status/worker_state.h"

namespace pixledger::stores {
namespace {

namespace fs = std::filesystem;

void look_into(GenerationStatus& status, const fs::path& directory, const eventstore::Log& log,
               const eventstore::LmdbOptions& options) {
  if (!eventstore::is_derived_readable(directory, log.identity())) return;
  const auto cursor = projections::peek_cursor(directory, options);
  status.position = cursor.position;
  status.of_this_log = eventstore::is_cursor_of(log, {log.identity(), cursor.position, cursor.leaf_hash});
}

}  // namespace

std::vector<GenerationStatus> generation_statuses(const fs::path& views, const eventstore::Log& log,
                                                  const eventstore::LmdbOptions& options) {
  std::vector<GenerationStatus> statuses;
  for (const auto& generation : projections::find_generations(views)) {
    GenerationStatus status{.name = generation.path.filename().string(),
                            .set_version = generation.set_version,
                            .complete = generation.is_complete(),
                            .position = std::nullopt};
    try {
      look_into(status, generation.path, log, options);
    } catch (const DataDamaged&) {
      // Reported without a position.
    } catch (const std::system_error& refused) {
      if (refused.code() != std::errc::no_such_file_or_directory) throw;
      // It was deleted meanwhile.
    }
    statuses.push_back(std::move(status));
  }
  std::reverse(statuses.begin(), statuses.end());
  return statuses;
}

std::vector<WorkerStatus> worker_statuses(const WorkerDatabases& databases, const eventstore::Log& log,
                                          const eventstore::LmdbOptions& options) {
  std::vector<WorkerStatus> statuses;
  for (const std::string name : kWorkerNames) {
    if (!databases.are_shared() && !fs::is_directory(databases.workers() / name)) continue;
    WorkerStatus status{name, std::nullopt, false, ""};
    try {
      const auto worker = eventstore::read_or_damaged([&] { return find_worker(databases, name, options); });
      if (!worker) continue;
      if (worker->cursor) {
        status.position = worker->cursor->position;
        status.of_this_log = eventstore::is_cursor_of(log, *worker->cursor);
      }
    } catch (const DataDamaged& damage) {
      status.problem = damage.what();
    } catch (const Poco::Exception& error) {
      status.problem = error.displayText();
    } catch (const std::system_error& error) {
      status.problem = error.what();
    } catch (const eventstore::LogUnavailable& unavailable) {
      status.problem = unavailable.what();
    }
    statuses.push_back(std::move(status));
  }
  std::sort(statuses.begin(), statuses.end(),
            [](const WorkerStatus& a, const WorkerStatus& b) { return a.name < b.name; });
  return statuses;
}

}  // namespace pixledger::stores
