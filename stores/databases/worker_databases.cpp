#include "stores/databases/worker_databases.h"

#include "eventstore/postgres/node_file.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/postgres_database.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

// Readers such as metrics also report other things, and must not be blocked.
constexpr std::chrono::seconds kRest{10};

eventstore::SharedNode hasty(eventstore::SharedNode node) {
  node.times.connect = std::chrono::seconds(2);
  node.times.answer = std::chrono::seconds(2);
  node.times.commit = std::chrono::seconds(2);
  return node;
}

}  // namespace

WorkerDatabases WorkerDatabases::of(const DataDirectory& data) {
  WorkerDatabases databases(data.workers());
  if (const auto node = eventstore::node_of(data))
    databases.node_ = eventstore::SharedNode{
        .uri = node->uri,
        .name = node->name.text,
        .directory = std::filesystem::weakly_canonical(std::filesystem::absolute(data.root))};
  return databases;
}

std::string WorkerDatabases::name_of(const WorkerDatabase& database) const {
  return are_shared() ? database.schema : database.in(workers_).string();
}

bool WorkerDatabases::has(const WorkerDatabase& database) const {
  return are_shared() || std::filesystem::exists(database.in(workers_));
}

std::unique_ptr<SqlDatabase> WorkerDatabases::tables(const WorkerDatabase& database,
                                                     std::optional<eventstore::WorkerFence> fence) const {
  return std::make_unique<PostgresDatabase>(*node_, database.schema, std::move(fence));
}

std::unique_ptr<DeliveryRepository> WorkerDatabases::deliveries(const eventstore::WorkerRight& right) const {
  if (are_shared()) return std::make_unique<DeliveryRepository>(tables(kWebhookDatabase, right.fence));
  return std::make_unique<DeliveryRepository>(kWebhookDatabase.in(workers_));
}

std::unique_ptr<EmailRepository> WorkerDatabases::emails(const eventstore::WorkerRight& right) const {
  if (are_shared()) return std::make_unique<EmailRepository>(tables(kEmailDatabase, right.fence));
  return std::make_unique<EmailRepository>(kEmailDatabase.in(workers_));
}

std::unique_ptr<DeliveryReader> WorkerDatabases::delivery_reader() const {
  if (are_shared()) return std::make_unique<DeliveryReader>(tables(kWebhookDatabase, {}));
  return DeliveryReader::open(kWebhookDatabase.in(workers_));
}

std::unique_ptr<EmailRepository> WorkerDatabases::emails_to_read() const {
  if (are_shared()) return std::make_unique<EmailRepository>(tables(kEmailDatabase, {}));
  return has(kEmailDatabase) ? EmailRepository::open_to_read(kEmailDatabase.in(workers_)) : nullptr;
}

std::unique_ptr<DeliveryRepository> WorkerDatabases::deliveries_to_change() const {
  return has(kWebhookDatabase) ? deliveries({}) : nullptr;
}

std::unique_ptr<EmailRepository> WorkerDatabases::emails_to_change() const {
  return has(kEmailDatabase) ? emails({}) : nullptr;
}

std::shared_ptr<SqlDatabase> WorkerDatabases::look(const WorkerDatabase& database) const {
  if (!has(database)) return nullptr;
  if (!are_shared()) return open_sqlite_untouched(database.in(workers_));
  auto& known = looks_[database.worker == kEmailDatabase.worker ? 1 : 0];
  if (!known) known = std::make_shared<PostgresDatabase>(hasty(*node_), database.schema, std::nullopt, kRest);
  return known;
}

std::optional<eventstore::LogCursor> WorkerDatabases::cursor(const WorkerDatabase& database) const {
  const auto found = look(database);
  return found ? find_cursor(*found) : std::nullopt;
}

bool WorkerDatabases::has_right_taken(std::string_view worker) const {
  if (!are_shared()) return false;
  return look(kWebhookDatabase)
             ->integer("SELECT count(*) FROM turn WHERE worker = $1 AND until > clock_timestamp()",
                       {"pixledger-" + std::string(worker)}) > 0;
}

}  // namespace pixledger::stores
