#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "projections/deliveries/delivery_reader.h"
#include "projections/storage/log_cursor.h"

// The databases of the workers that tell people something and so must not lose what they have told already,
// from outside: for backups. What the others keep, expiry and providers, is derived from the log.
namespace pixledger::projections {

struct WorkerDatabase {
  std::string_view worker;  // the name of its directory below `workers`
  const char* file;         // SQLite

  std::filesystem::path in(const std::filesystem::path& workers) const { return workers / worker / file; }
};
inline constexpr WorkerDatabase kWebhookDatabase{"webhooks", kDeliveriesFile};
inline constexpr WorkerDatabase kEmailDatabase{"emails", "emails.sqlite"};
inline constexpr std::array kWorkerDatabases{kWebhookDatabase, kEmailDatabase};

// Copies the database as it is at one moment, while its worker may go on. The copy must not be there yet; it
// is not durable on return. Throws Poco::Exception.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// How far its worker had come; nullopt when it had not started. Throws Poco::Exception, std::runtime_error
// when it is damaged.
std::optional<LogCursor> cursor_of_database(const std::filesystem::path& file);

// Forgets what events after a position asked for, and that the worker had come further: the ledger ends
// there, and those positions will be of other events. Throws Poco::Exception.
void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, domain::Position last,
                  const eventstore::Digest& leaf_hash);

}  // namespace pixledger::projections
