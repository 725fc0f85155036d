#include "eventstore/postgres/publish.h"

#include "eventstore/codec/codec.h"
#include "eventstore/log/stored_leaf.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/postgres/session_start.h"
#include "eventstore/tree/log_tree.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kEventsPerBatch = 1'000;
constexpr std::size_t kRecordsPerBatch = 1'000;

constexpr PreparedStatement kFindPublished{
    "find published",
    "SELECT max(number) FROM batch WHERE last = $1 AND time = $2 AND id_counter = $3 AND root = $4::bytea"};
constexpr PreparedStatement kBeginHead{
    "begin head",
    "INSERT INTO head (batch, position, time, id_counter, root) VALUES (0, 0, 0, 0, $1::bytea)"};
constexpr PreparedStatement kNameLedger{
    "name ledger", "INSERT INTO ledger (format, ledger_id, epoch, keyring) VALUES ($1, $2, $3, $4::bytea)"};

// The log as commits of a size that is quickly taken in. When it was committed is told by its events.
class Publication {
 public:
  Publication(PgSession& session, const LogSnapshot& snapshot) : session_(session), snapshot_(snapshot) {}

  std::uint64_t append_all() {
    append_events();
    append_records();
    return number_;
  }

 private:
  void append_events() {
    const auto events = snapshot_.events();
    const auto personal = snapshot_.personal();
    for (bool more = events->seek(Position()); more; more = events->next()) {
      const auto position = events->position();
      leaves_.emplace_back(events->value());
      tree_.append(leaf_hash(leaves_.back()));
      if (const auto bytes = personal->find(position)) personal_.emplace_back(position, *bytes);
      last_ = position;
      if (leaves_.size() < kEventsPerBatch) continue;
      const auto time = decode(to_stored_event(position, leaves_.back())).recorded_at;
      append({}, time, 0);
    }
  }

  // The last one has the log's own time and counter.
  void append_records() {
    const auto end = snapshot_.end();
    std::vector<DecidedRecord> records;
    const auto cursor = snapshot_.idempotency(Timestamp());
    for (bool more = cursor->seek({}); more; more = cursor->next()) {
      const auto& entry = cursor->entry();
      records.push_back(
          {entry.time, {digest_from_bytes(entry.key), std::string(entry.record), std::nullopt}});
      if (records.size() < kRecordsPerBatch) continue;
      append(std::move(records), end.head.time, end.id_counter);
      records.clear();
    }
    append(std::move(records), end.head.time, end.id_counter);
  }

  void append(std::vector<DecidedRecord> records, Timestamp time, std::uint32_t id_counter) {
    BatchRow row{.number = ++number_,
                 .last = last_,
                 .time = time,
                 .id_counter = id_counter,
                 .root = tree_.root(),
                 .idempotency = std::move(records),
                 .leaves = {leaves_.begin(), leaves_.end()},
                 .personal = {}};
    for (const auto& [position, bytes] : personal_) row.personal.emplace_back(position, bytes);
    if (!eventstore::append(session_, row)) throw LogUnavailable("another process publishes a ledger there");
    leaves_.clear();
    personal_.clear();
  }

  PgSession& session_;
  const LogSnapshot& snapshot_;
  Frontier tree_;
  std::uint64_t number_ = 0;
  Position last_;
  std::vector<std::string> leaves_;
  std::vector<std::pair<Position, std::string>> personal_;
};

[[noreturn]] void refuse(const SharedIdentity& found) {
  throw LedgerMismatch("the database has a ledger already, " + found.ledger.ledger_id);
}

void check_rights(PgSession& owner, const std::string& servers_role) {
  const auto row = owner
                       .run(
                           "SELECT has_database_privilege(current_database(), 'CREATE'), current_user, "
                           "current_database(), EXISTS (SELECT 1 FROM pg_roles WHERE rolname = " +
                           literal(servers_role) + ")")
                       .at(0);
  const auto database = row.at(2).as<std::string>();
  if (!row.at(0).as<bool>())
    throw MayNotPublish("the role " + row.at(1).as<std::string>() + " may make no schema in the database " +
                        database + ": name with --ledger-owner the URI of one that may");
  if (!row.at(3).as<bool>())
    throw MayNotPublish("there is no role " + servers_role + " for the servers at the database " + database +
                        ": make it, or name another in --ledger");
}

// The last of the commits as which the log lies there already; nullopt: it does not.
std::optional<std::uint64_t> find_published(PgSession& owner, const LmdbLog& log, const LogIdentity& found) {
  if (found != log.identity()) return std::nullopt;
  const auto end = log.snapshot()->end();
  const auto size = end.head.position.value();
  const auto row = owner
                       .run_prepared(kFindPublished, size, end.head.time.millis(), end.id_counter,
                                     binary(bytes_of(tree_root(size, TreeOfLog(log)))))
                       .at(0);
  return row.at(0).is_null() ? std::nullopt : std::optional(row.at(0).as<std::uint64_t>());
}

// The number of its last commit.
std::uint64_t publish_whole(PgSession& owner, const LmdbLog& log, const std::string& servers_role,
                            const std::function<void(PgSession&)>& within) {
  const auto snapshot = log.snapshot();
  const auto end = snapshot->end();
  const auto& keyring = end.keyring;
  owner.run("BEGIN");
  create_shared_tables(owner, servers_role);
  owner.run_prepared(kBeginHead, binary(bytes_of(empty_root())));
  const auto batches = Publication(owner, *snapshot).append_all();
  const auto name = [&](const auto& keys) {
    owner.run_prepared(kNameLedger, kSharedFormatVersion, log.identity().ledger_id, log.identity().epoch,
                       keys);
  };
  if (keyring)
    name(binary(bytes_of(*keyring)));
  else
    name(static_cast<const char*>(nullptr));
  int number = 0;
  for (const auto& [epoch, last] : end.ended_epochs)
    owner.run("INSERT INTO ended_epoch (epoch, last, number) VALUES (" + std::to_string(epoch) + ", " +
              std::to_string(last.value()) + ", " + std::to_string(++number) + ")");
  if (within) within(owner);
  owner.commit();
  return batches;
}

}  // namespace

void refuse_to_publish(PgSession& owner, const std::string& servers_role) {
  check_settings(owner);
  if (const auto found = find_shared_ledger(owner)) refuse(*found);
  check_rights(owner, servers_role);
}

void publish(PgSession& owner, LmdbLog& log, const std::string& servers_role,
             const std::function<void(PgSession&)>& within) {
  check_settings(owner);
  log.become_copy([&]() -> std::uint64_t {
    const auto found = find_shared_ledger(owner);
    if (!found) {
      check_rights(owner, servers_role);
      return publish_whole(owner, log, servers_role, within);
    }
    // Whoever was stopped behind its commit does it again.
    const auto batch = find_published(owner, log, found->ledger);
    if (!batch) refuse(*found);
    return *batch;
  });
}

}  // namespace pixledger::eventstore
