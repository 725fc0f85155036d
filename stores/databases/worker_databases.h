#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/data_directory.h"
#include "eventstore/postgres/shared_node.h"
#include "eventstore/worker_right.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/emails/email_repository.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// The databases of the workers that notify people, and must not lose what they have sent. The other workers'
// data (expiry, providers) is derived from the log.
struct WorkerDatabase {
  std::string_view worker;  // the name of its directory below `workers`
  const char* file;         // SQLite
  const char* schema;       // PostgreSQL's schema with the same tables, for a shared ledger

  std::filesystem::path in(const std::filesystem::path& workers) const { return workers / worker / file; }
};
inline constexpr WorkerDatabase kWebhookDatabase{"webhooks", kDeliveriesFile, "pixledger_webhooks"};
inline constexpr WorkerDatabase kEmailDatabase{"emails", "emails.sqlite", "pixledger_emails"};
inline constexpr std::array kWorkerDatabases{kWebhookDatabase, kEmailDatabase};

// The location of these databases: files in a data directory, or tables in PostgreSQL on a node of a shared
// ledger. No other code knows which. All functions throw the database's errors.
class WorkerDatabases {
 public:
  // Files, in a directory that contains one directory per worker.
  WorkerDatabases(std::filesystem::path workers)
      : workers_(std::move(workers)) {}  // NOLINT: each such path is one
  static WorkerDatabases of(const DataDirectory& data);

  bool are_shared() const { return node_.has_value(); }
  const std::filesystem::path& workers() const { return workers_; }
  // The file or the schema, for messages.
  std::string name_of(const WorkerDatabase& database) const;
  // True if its worker has created it. Tables always exist.
  bool has(const WorkerDatabase& database) const;

  // --- for the workers, which hold the worker's right ---

  std::unique_ptr<DeliveryRepository> deliveries(const eventstore::WorkerRight& right) const;
  std::unique_ptr<EmailRepository> emails(const eventstore::WorkerRight& right) const;

  // --- for others; null if no worker has created the file ---

  // Also null if no worker of this release has opened it.
  std::unique_ptr<DeliveryReader> delivery_reader() const;
  std::unique_ptr<EmailRepository> emails_to_read() const;
  // For single writes while the worker runs.
  std::unique_ptr<DeliveryRepository> deliveries_to_change() const;
  std::unique_ptr<EmailRepository> emails_to_change() const;

  // For reading while others run. Tables: the same object each time, for one thread.
  std::shared_ptr<SqlDatabase> look(const WorkerDatabase& database) const;
  // Its worker's cursor; nullopt if it has not started.
  std::optional<eventstore::LogCursor> cursor(const WorkerDatabase& database) const;
  // True if a worker runs on any machine of a shared ledger.
  bool has_right_taken(std::string_view worker) const;

 private:
  std::unique_ptr<SqlDatabase> tables(const WorkerDatabase& database,
                                      std::optional<eventstore::WorkerFence> fence) const;

  std::filesystem::path workers_;
  std::optional<eventstore::SharedNode> node_;
  mutable std::array<std::shared_ptr<SqlDatabase>, kWorkerDatabases.size()> looks_{};
};

}  // namespace pixledger::stores
