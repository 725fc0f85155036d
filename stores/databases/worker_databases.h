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

// The databases of the workers that tell people something and so must not lose what they have told already.
// What the others keep, expiry and providers, is derived from the log.
struct WorkerDatabase {
  std::string_view worker;  // the name of its directory below `workers`
  const char* file;         // SQLite
  const char* schema;       // where machines share the ledger: PostgreSQL's, which has the same tables

  std::filesystem::path in(const std::filesystem::path& workers) const { return workers / worker / file; }
};
inline constexpr WorkerDatabase kWebhookDatabase{"webhooks", kDeliveriesFile, "pixledger_webhooks"};
inline constexpr WorkerDatabase kEmailDatabase{"emails", "emails.sqlite", "pixledger_emails"};
inline constexpr std::array kWorkerDatabases{kWebhookDatabase, kEmailDatabase};

// Where these are: files below a data directory, or tables in PostgreSQL where that is a node of a ledger
// that machines share. The only place that knows which. All throw what the database does.
class WorkerDatabases {
 public:
  // Files, in a directory with one for each worker.
  WorkerDatabases(std::filesystem::path workers)
      : workers_(std::move(workers)) {}  // NOLINT: each such path is one
  static WorkerDatabases of(const DataDirectory& data);

  bool are_shared() const { return node_.has_value(); }
  const std::filesystem::path& workers() const { return workers_; }
  // Where people look for it: the file, or the schema.
  std::string name_of(const WorkerDatabase& database) const;
  // Whether its worker has made it. Tables are there from the beginning on.
  bool has(const WorkerDatabase& database) const;

  // --- for the workers, which hold the right to be the one at work ---

  std::unique_ptr<DeliveryRepository> deliveries(const eventstore::WorkerRight& right) const;
  std::unique_ptr<EmailRepository> emails(const eventstore::WorkerRight& right) const;

  // --- for others; null where no worker has made the file ---

  // Null as well where none of this release has opened it.
  std::unique_ptr<DeliveryReader> delivery_reader() const;
  std::unique_ptr<EmailRepository> emails_to_read() const;
  // To write by the way, while the worker goes on.
  std::unique_ptr<DeliveryRepository> deliveries_to_change() const;
  std::unique_ptr<EmailRepository> emails_to_change() const;

  // To look at while others go on. Of tables the same each time, by one thread.
  std::shared_ptr<SqlDatabase> look(const WorkerDatabase& database) const;
  // How far its worker has come; nullopt when it has not started.
  std::optional<eventstore::LogCursor> cursor(const WorkerDatabase& database) const;
  // Whether a worker is at work on any machine, where they share the ledger.
  bool has_right_taken(std::string_view worker) const;

 private:
  std::unique_ptr<SqlDatabase> tables(const WorkerDatabase& database,
                                      std::optional<eventstore::WorkerFence> fence) const;

  std::filesystem::path workers_;
  std::optional<eventstore::SharedNode> node_;
  mutable std::array<std::shared_ptr<SqlDatabase>, kWorkerDatabases.size()> looks_{};
};

}  // namespace pixledger::stores
