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

// The status of the workers of a data directory or a shared ledger, read while they run. Files are opened
// read-only and closed again. Throws Poco::Exception, LmdbError or std::runtime_error if a database cannot be
// read.

// Names of the workers and of their directories.
inline constexpr const char* kWorkerNames[] = {"webhooks", "emails", "expiry", "providers"};

struct WorkerState {
  std::string name;
  bool running;  // a process holds its lock, or one on any machine holds the worker's right
  std::optional<eventstore::LogCursor> cursor;  // absent: it has not stored one yet
};
// Nullopt if it has never run here, or on any machine.
std::optional<WorkerState> find_worker(const WorkerDatabases& databases, const std::string& name,
                                       const eventstore::LmdbOptions& options);

// Checks a worker's whole SQLite file. Returns the damage, or nullopt if the file is sound or missing.
std::optional<std::string> find_damage(const std::filesystem::path& file);

struct DeliveryBacklog {
  std::uint64_t pending = 0;
  std::optional<Timestamp> oldest;     // of these: earliest time of an event's record
  std::optional<Timestamp> due_since;  // since when the one longest due is due
};
DeliveryBacklog delivery_backlog(const WorkerDatabases& databases);

// Delivery attempts since the database was created, by outcome.
struct AttemptTotal {
  std::string outcome;
  std::uint64_t attempts;
};
std::vector<AttemptTotal> attempt_totals(const WorkerDatabases& databases);

// Channels with pending webhooks whose attempts have only failed for some time.
struct FailingChannel {
  std::string id;
  Timestamp since;
};
// Longest failing first.
std::vector<FailingChannel> failing_channels(const WorkerDatabases& databases);

struct EmailBacklog {
  std::uint64_t unsent = 0;
  std::optional<Timestamp> oldest;         // of these: earliest time of an event's record
  std::uint64_t given_up = 0;              // rejected permanently, or after every attempt
  std::optional<Timestamp> last_given_up;  // of these: latest time of an event's record
  std::uint64_t capped = 0;                // sandbox e-mails beyond a day's share
  std::uint64_t capped_ever = 0;           // the same, including those sent later
};
EmailBacklog email_backlog(const WorkerDatabases& databases);

struct ExpiryBacklog {
  static constexpr std::uint64_t kWaitingMax = 10'000;
  std::uint64_t waiting = 0;        // past their expiry; counted up to kWaitingMax
  std::optional<Timestamp> oldest;  // the first expiry of these
};
ExpiryBacklog expiry_backlog(const std::filesystem::path& workers, Timestamp now,
                             const eventstore::LmdbOptions& options);

// Worker databases that must not lose data, copied as files by other processes: for backups.

// Copies a snapshot of the database while its worker may run. The copy must not exist yet; it is not durable
// on return. Throws SqlDatabase's errors.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// The same of a data directory or a shared ledger. Returns false, without a copy, if the worker has never
// run. Throws LogUnavailable, too.
bool export_worker(const WorkerDatabases& databases, const WorkerDatabase& database,
                   const std::filesystem::path& to);

// Its worker's cursor; nullopt if it had not started. Throws Poco::Exception, or std::runtime_error if it is
// damaged.
std::optional<eventstore::LogCursor> cursor_of_database(const std::filesystem::path& file);

// Removes the work of events after a position and moves the worker's cursor back to it: the ledger ends
// there, and later positions will get other events. Throws as above.
void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, Position last,
                  const Digest& leaf_hash);

}  // namespace pixledger::stores
