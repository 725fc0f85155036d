#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/values/timestamp.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/reading/log_cursor.h"
#include "stores/databases/worker_databases.h"

namespace pixledger::stores {

// What a look from outside tells of the workers of a data directory, or of a ledger that machines share,
// while they go on. Files are opened for reading only and closed again. Throws Poco::Exception, LmdbError or
// std::runtime_error when a database cannot be read.

// Their names, which are those of their directories.
inline constexpr const char* kWorkerNames[] = {"webhooks", "emails", "expiry", "providers"};

struct WorkerState {
  std::string name;
  bool running;  // a process holds its lock, or one on any machine the right to be at work
  std::optional<eventstore::LogCursor> cursor;  // none: it has not got as far as to keep one
};
// Nothing when it has never run here, or on any machine.
std::optional<WorkerState> find_worker(const WorkerDatabases& databases, const std::string& name,
                                       const eventstore::LmdbOptions& options);

// What is wrong with the SQLite file of a worker's database, which is read as a whole; nothing when it is
// sound, or not there.
std::optional<std::string> find_damage(const std::filesystem::path& file);

struct DeliveryBacklog {
  std::uint64_t pending = 0;
  std::optional<Timestamp> oldest;     // of these: when its event was recorded
  std::optional<Timestamp> due_since;  // since when the one that is due the longest is
};
DeliveryBacklog delivery_backlog(const WorkerDatabases& databases);

// Attempts to deliver since the database was made, by what they came to.
struct AttemptTotal {
  std::string outcome;
  std::uint64_t attempts;
};
std::vector<AttemptTotal> attempt_totals(const WorkerDatabases& databases);

// Channels with webhooks pending that have had nothing but failures for a time.
struct FailingChannel {
  std::string id;
  Timestamp since;
};
// The longest failing first.
std::vector<FailingChannel> failing_channels(const WorkerDatabases& databases);

struct EmailBacklog {
  std::uint64_t unsent = 0;
  std::optional<Timestamp> oldest;         // of these: when its event was recorded
  std::uint64_t given_up = 0;              // refused for good, or after every attempt
  std::optional<Timestamp> last_given_up;  // of these: when the newest event was recorded
  std::uint64_t capped = 0;                // of the sandbox, beyond a day's share
  std::uint64_t capped_ever = 0;           // the same, with those that were sent later
};
EmailBacklog email_backlog(const WorkerDatabases& databases);

struct ExpiryBacklog {
  static constexpr std::uint64_t kWaitingMax = 10'000;
  std::uint64_t waiting = 0;        // past their expiry; counted up to kWaitingMax
  std::optional<Timestamp> oldest;  // the first expiry of these
};
ExpiryBacklog expiry_backlog(const std::filesystem::path& workers, Timestamp now,
                             const eventstore::LmdbOptions& options);

// The databases of the workers that must not lose anything, as files, from outside: for backups.

// Copies the database as it is at one moment, while its worker may go on. The copy must not be there yet; it
// is not durable on return. Throws Poco::Exception.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// How far its worker had come; nullopt when it had not started. Throws Poco::Exception, std::runtime_error
// when it is damaged.
std::optional<eventstore::LogCursor> cursor_of_database(const std::filesystem::path& file);

// Forgets what events after a position asked for, and that the worker had come further: the ledger ends
// there, and those positions will be of other events. Throws Poco::Exception.
void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, Position last,
                  const Digest& leaf_hash);

}  // namespace pixledger::stores
