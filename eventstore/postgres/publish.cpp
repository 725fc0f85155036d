#include "eventstore/postgres/publish.h"

#include <array>
#include <chrono>
#include <span>
#include <thread>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kEventsPerBatch = 1'000;
constexpr std::size_t kRecordsPerBatch = 1'000;
constexpr std::chrono::seconds kTurnMax{60};
constexpr std::chrono::milliseconds kTryTurnEvery{100};

// The first number is "pixl". Frozen, since releases take turns with each other.
constexpr const char* kTryTurn = "SELECT pg_try_advisory_xact_lock(1885960300, 1)";

constexpr PreparedStatement kFindPublished{
    "find published",
    "SELECT max(number) FROM batch WHERE last = $1 AND time = $2 AND id_counter = $3 AND root = $4::bytea"};
constexpr PreparedStatement kBeginHead{
    "begin head",
    "INSERT INTO head (batch, position, time, id_counter, root) VALUES (0, 0, 0, 0, $1::bytea)"};
constexpr PreparedStatement kNameLedger{
    "name ledger", "INSERT INTO ledger (format, ledger_id, epoch, keyring) VALUES ($1, $2, $3, $4::bytea)"};

// Writes the log as commits of a size that is quickly taken in. Their times come from their events.
class Publication {
 public:
  Publication(PgClient& client, const LogSnapshot& snapshot) : client_(client), snapshot_(snapshot) {}

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

  // The last commit has the log's own time and counter.
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
    if (!eventstore::append(client_, row)) throw LogUnavailable("another process publishes a ledger there");
    leaves_.clear();
    personal_.clear();
  }

  PgClient& client_;
  const LogSnapshot& snapshot_;
  Frontier tree_;
  std::uint64_t number_ = 0;
  Position last_;
  std::vector<std::string> leaves_;
  std::vector<std::pair<Position, std::string>> personal_;
};

[[noreturn]] void refuse_published(const SharedIdentity& found) {
  throw LedgerMismatch("the database has a ledger already, " + found.ledger.ledger_id);
}

void check_rights(PgClient& owner, const std::string& servers_role) {
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

// A random advisory lock, which no other client uses.
struct DrawnLock {
  std::array<std::uint32_t, 2> keys{};

  DrawnLock() {
    SystemEntropy().fill(std::as_writable_bytes(std::span(keys)));
    for (auto& key : keys) key &= 0x7fffffffU;
  }
};

// Locks belong to one server and database, and every role sees who holds them (PostgreSQL 15, section 54.12).
void check_same_database(PgClient& owner, PgClient& servers) {
  const DrawnLock drawn;
  const auto first = std::to_string(drawn.keys[0]);
  const auto second = std::to_string(drawn.keys[1]);
  owner.run("BEGIN");
  owner.run("SELECT pg_advisory_xact_lock(" + first + ", " + second + ")");
  const auto seen = servers.run(
      "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
      "AND classid = " +
      first + " AND objid = " + second +
      " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())), "
      "current_database(), current_user");
  owner.roll_back();
  const auto row = seen.at(0);
  if (!row.at(0).as<bool>())
    throw LedgerMismatch("the role " + row.at(2).as<std::string>() +
                         " of --ledger comes to another database " + row.at(1).as<std::string>() +
                         " than that of --ledger-owner, and would find no ledger: let both name the same "
                         "machines and ports");
}

// PostgreSQL grants the lock once the last transaction's outcome is certain, even if its client is gone.
void take_turn(PgClient& owner) {
  const auto deadline = std::chrono::steady_clock::now() + kTurnMax;
  while (!owner.run(kTryTurn).at(0).at(0).as<bool>()) {
    if (std::chrono::steady_clock::now() >= deadline)
      throw LogUnavailable(
          "another process is bringing a ledger into the database: look again when it has ended");
    std::this_thread::sleep_for(kTryTurnEvery);
  }
}

// Returns the last of the commits that already hold the log; nullopt: it was not published.
std::optional<std::uint64_t> find_published(PgClient& owner, const LmdbLog& log, const LogIdentity& found) {
  if (found != log.identity()) return std::nullopt;
  const auto end = log.snapshot()->end();
  const auto size = end.head.position.value();
  const auto row = owner
                       .run_prepared(kFindPublished, size, end.head.time.millis(), end.id_counter,
                                     binary(bytes_of(tree_root(size, TreeOfLog(log)))))
                       .at(0);
  return row.at(0).is_null() ? std::nullopt : std::optional(row.at(0).as<std::uint64_t>());
}

// Returns the number of its last commit.
std::uint64_t publish_whole(PgClient& owner, const LmdbLog& log, const std::string& servers_role,
                            const std::function<void(PgClient&)>& within) {
  const auto snapshot = log.snapshot();
  const auto end = snapshot->end();
  const auto& keyring = end.keyring;
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

// A restarted primary shows commits that its standby may lack; a later write returns when the standby has
// them.
void confirm_published(PgClient& owner) {
  owner.run("UPDATE ledger SET only_one = only_one");
  owner.commit();
}

[[noreturn]] void refuse_other(const LmdbLog& log, const SharedIdentity& found) {
  if (found.ledger != log.identity()) refuse_published(found);
  throw LedgerMismatch("the database has this ledger already, " + found.ledger.ledger_id +
                       ", and not with the events that it has here: what programs wrote here since it went "
                       "there is in this directory alone. Put ledger/, views/, workers/ and accounts/ away, "
                       "keep keys/, and start the directory as a node with --ledger and --node");
}

}  // namespace

void check_roles(PgClient& owner, const LedgerUri& servers) {
  check_settings(owner);
  check_rights(owner, servers.user);
  try {
    DeadlineWatch watch;
    PgClient client(servers, PgTimeouts{}, watch);
    check_settings(client);
    check_same_database(owner, client);
  } catch (const LogUnavailable& away) {
    throw LogUnavailable("as the servers' role of --ledger: " + std::string(away.what()));
  }
}

void refuse_to_publish(PgClient& owner, const LedgerUri& servers) {
  check_settings(owner);
  if (const auto found = find_shared_ledger(owner)) refuse_published(*found);
  check_roles(owner, servers);
}

void publish(PgClient& owner, LmdbLog& log, const std::string& servers_role,
             const std::function<void(PgClient&)>& within) {
  check_settings(owner);
  log.become_copy([&]() -> std::uint64_t {
    owner.run("BEGIN");
    take_turn(owner);
    const auto found = find_shared_ledger(owner);
    if (!found) return publish_whole(owner, log, servers_role, within);
    // A process that was stopped after its commit repeats it.
    const auto batch = find_published(owner, log, found->ledger);
    if (!batch) refuse_other(log, *found);
    confirm_published(owner);
    return *batch;
  });
}

void refuse_to_give_up(PgClient& owner, const LmdbLog& log) {
  check_settings(owner);
  owner.run("BEGIN");
  take_turn(owner);
  const auto found = find_shared_ledger(owner);
  if (found && found->ledger.ledger_id == log.identity().ledger_id)
    throw LedgerMismatch("the database has this ledger, " + found->ledger.ledger_id +
                         ", so it cannot be given up: run pixledger migrate without --abandon, which "
                         "finishes what was begun");
  // A replaced primary that does not know it yet finds no ledger either, but no standby confirms its write.
  const auto drawn = "pixledger_" + std::to_string(DrawnLock().keys[0]);
  owner.run("CREATE SCHEMA " + drawn + "; DROP SCHEMA " + drawn);
  try {
    owner.commit();
  } catch (const LogOutcomeUnknown& unconfirmed) {
    throw LogUnavailable(std::string("no standby confirms that the database does not have the ledger: ") +
                         unconfirmed.what());
  }
}

}  // namespace pixledger::eventstore
