#include "eventstore/postgres/client_start.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

using Monotonic = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurnEvery{500};

// $4: rows that kInTheWay found unchanged; a node that has written since has another time. Progress of
// erasures is not taken over from another directory. The row of the directory's former name is deleted, so
// that no erasure waits for it. Returns which other node this directory is.
constexpr PreparedStatement kNoteNode{
    "note",
    "WITH former AS (DELETE FROM node WHERE name <> $1 AND directory LIKE '%#' || $2::text AND "
    "(($5::boolean AND boot = $3) OR name || '@' || extract(epoch FROM seen) = ANY (string_to_array($4, ' "
    "'))) "
    "RETURNING name, erased, scrubs) "
    "INSERT INTO node AS n (name, directory, boot, position, erased, scrubs, seen) "
    "SELECT $1, $6::text, $3, $7::bigint, coalesce(max(erased), 0), coalesce(max(scrubs), 0), "
    "clock_timestamp() FROM former "
    "ON CONFLICT (name) DO UPDATE SET directory = $6, boot = $3, position = $7, erased = CASE WHEN "
    "n.directory LIKE '%#' || $2 THEN n.erased ELSE excluded.erased END, seen = clock_timestamp() "
    "WHERE (n.directory LIKE '%#' || $2 AND n.boot = $3) OR "
    "n.name || '@' || extract(epoch FROM n.seen) = ANY (string_to_array($4, ' ')) "
    "RETURNING (SELECT min(name) FROM node WHERE name <> $1 AND directory LIKE '%#' || $2 AND "
    "name NOT IN (SELECT name FROM former))"};

// Selects the name's row if it is another directory's, and this directory's other rows, each with its last
// write.
constexpr PreparedStatement kInTheWay{
    "in_the_way",
    "SELECT coalesce(string_agg(name || '@' || extract(epoch FROM seen), ' ' ORDER BY name), '') FROM node "
    "WHERE CASE WHEN name = $1 THEN NOT (directory LIKE '%#' || $2::text AND boot = $3) "
    "ELSE directory LIKE '%#' || $2::text AND NOT ($4::boolean AND boot = $3) END"};

// A node's row in PostgreSQL, through one client.
class NodeRow {
 public:
  NodeRow(PgClient& client, const SharedNode& node, const LmdbLog* copy)
      : client_(client), node_(node), position_(copy ? copy->head().position.value() : 0) {}

  // Returns nullopt if the row is written, else what is in the way, for people. `still`: unchanged rows.
  std::optional<std::string> try_to_write(const std::string& still) {
    client_.run("BEGIN");
    const auto noted =
        client_.run_prepared(kNoteNode, node_.name, mark_, boot_, still, node_.may_rename, place_, position_);
    if (!noted.empty() && noted.at(0).at(0).is_null()) {
      confirm(client_);
      return std::nullopt;
    }
    client_.run("ROLLBACK");
    return noted.empty() ? problem_of_name() : problem_of_directory(noted.at(0).at(0).as<std::string>());
  }

  // Returns the rows in the way if none of them changed during the standstill time; otherwise empty.
  std::string watch() {
    const auto first = in_the_way();
    const auto until = Monotonic::now() + node_.times.standstill;
    while (Monotonic::now() < until) {
      std::this_thread::sleep_for(std::min<Monotonic::duration>(kTurnEvery, node_.times.standstill));
      if (in_the_way() != first) return {};
    }
    return first;
  }

 private:
  std::string in_the_way() {
    return client_.run_prepared(kInTheWay, node_.name, mark_, boot_, node_.may_rename)
        .at(0)
        .at(0)
        .as<std::string>();
  }
  std::string problem_of_name() {
    const auto row = client_.run("SELECT directory FROM node WHERE name = " + literal(node_.name));
    return "another directory is at work as the node " + node_.name + ": " +
           (row.empty() ? "(gone)" : directory_of_place(row.at(0).at(0).as<std::string>())) + host_of_name() +
           ", and this is " + directory_of_place(place_) + " here; give this one a --node of its own";
  }
  // Machines may have the same paths, so this adds the other node's address, unless it is this machine's.
  std::string host_of_name() {
    const auto row = client_.run(
        "SELECT host(client_addr) FROM pg_stat_activity WHERE datname = current_database() AND "
        "client_addr <> inet_client_addr() AND application_name = current_setting('application_name') "
        "ORDER BY backend_start LIMIT 1");
    return row.empty() ? "" : " at " + row.at(0).at(0).as<std::string>();
  }
  std::string problem_of_directory(const std::string& name) const {
    return "the directory " + directory_of_place(place_) + " is the node " + name + " by now, and here " +
           node_.name +
           ": its programs were started under another name, or it was copied whole, disk and all; then "
           "remove node.id and ledger/ from the copy";
  }

  PgClient& client_;
  const SharedNode& node_;
  const std::uint64_t position_;
  const std::string place_ = place_of(node_);
  const std::string mark_ = mark_of_place(place_);
  const std::string boot_ = SystemClock().boot_id();
};

// Writes the node's row, as each client does at its start. If the row is another directory's, or the
// directory is another node, rows in the way are taken over once this client has seen them unchanged for
// PgTimeouts::standstill. After an outage of PostgreSQL every row is old, and a running node writes its own
// within a second. Throws NodeTaken if a row changes, LogUnavailable if standstill is 0. `copy`: null if
// there is no copy yet.
void note_node(PgClient& client, const SharedNode& node, const LmdbLog* copy) {
  NodeRow row(client, node, copy);
  const auto problem = row.try_to_write({});
  if (!problem) return;
  if (node.times.standstill == std::chrono::milliseconds(0)) throw LogUnavailable(*problem);
  if (const auto moved = row.try_to_write(row.watch())) throw NodeTaken(*moved);
}

// Changes nothing, but is a write: it returns once a standby has it and everything before it.
constexpr PreparedStatement kConfirm{"confirm", "UPDATE node SET boot = boot WHERE name = $1 RETURNING name"};

// One statement, which sees one moment. A ledger without commits has no row in `batch`.
constexpr const char* kDamageAtEnds =
    "SELECT CASE WHEN batch.number IS NULL AND head.batch > 0 THEN 'its newest commit is missing' "
    "WHEN batch.number IS NOT NULL AND (batch.last, batch.root) IS DISTINCT FROM (head.position, head.root) "
    "THEN 'its head is not that of its newest commit' "
    "WHEN (SELECT max(position) FROM event) > head.position "
    "THEN 'behind its head it has events that belong to no commit' "
    "WHEN (SELECT max(number) FROM batch) > head.batch OR (SELECT max(batch) FROM records) > head.batch "
    "OR (SELECT max(position) FROM personal) > head.position "
    "THEN 'behind its head it has rows that belong to no commit' "
    "END FROM head LEFT JOIN batch ON batch.number = head.batch";

void check_ledger(PgClient& client, const SharedNode& node, const LmdbLog* copy) {
  const auto found = find_shared_ledger(client);
  if (!found)
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database +
                         ": make one with pixledger init, or bring one there with pixledger migrate");
  // Before PostgreSQL knows the node, and before anything is fetched.
  if (!copy) refuse_other_keys(node, found->ledger.ledger_id, found->keyring);
  if (copy && found->ledger != copy->identity())
    throw LedgerMismatch("the database " + node.uri.database + " has the ledger " +
                         named_with_epoch(found->ledger) + ", and " + node.directory.string() +
                         " a copy of " + named_with_epoch(copy->identity()));
}

}  // namespace

std::string named_with_epoch(const LogIdentity& ledger) {
  return ledger.ledger_id + " (epoch " + std::to_string(ledger.epoch) + ")";
}

void check_copy(PgClient& client, const LmdbLog& copy) {
  const auto [batch, last] = copy.copied();
  if (batch == 0) return;
  const auto there = client.run("SELECT root FROM batch WHERE number = " + std::to_string(batch));
  if (there.empty())
    throw CopyAstray("PostgreSQL has no commit " + std::to_string(batch) + " as the copy has");
  const auto root = digest_of(there.at(0).at(0));
  const auto here = tree_root(last.value(), TreeOfLog(copy));
  if (root != here)
    throw CopyAstray("commit " + std::to_string(batch) + " has the root " + to_hex(root) +
                     " in PostgreSQL, and " + to_hex(here) + " in the copy");
}

PostgresUnsafe no_synchronous_standby() {
  return {"PostgreSQL has no synchronous standby (synchronous_standby_names is empty)",
          "see that a standby runs, and that Patroni has synchronous_mode and synchronous_mode_strict: "
          "patronictl list; until then nodes write nothing"};
}

// `then`: what makes safe what was written before it was on.
PostgresUnsafe unsafe_setting(const std::string& name, const std::string& then) {
  return {"PostgreSQL has " + name + " off",
          "turn " + name +
              " on, in Patroni's settings (patronictl edit-config) or postgresql.conf, reload, and then " +
              then +
              ": what is written without it, a crash of PostgreSQL's machine can lose or damage, and until "
              "then nodes write nothing"};
}

void check_settings(PgClient& client) {
  const auto row =
      client
          .run(
              "SELECT pg_is_in_recovery(), current_setting('fsync'), "
              "current_setting('full_page_writes'), current_setting('synchronous_standby_names')")
          .at(0);
  if (row.at(0).as<bool>())
    throw LogUnavailable("PostgreSQL answers as a standby; the URI wants target_session_attrs=read-write");
  if (row.at(1).as<std::string>() != "on") throw unsafe_setting("fsync", "run sync on PostgreSQL's machines");
  if (row.at(2).as<std::string>() != "on") throw unsafe_setting("full_page_writes", "run CHECKPOINT");
  if (row.at(3).as<std::string>().empty()) throw no_synchronous_standby();
}

std::string damage_at_ends(PgClient& client) {
  const auto found = client.run(kDamageAtEnds);
  return found.empty() || found.at(0).at(0).is_null() ? "" : found.at(0).at(0).as<std::string>();
}

void check_ends(PgClient& client, const LedgerUri& uri) {
  const auto damage = damage_at_ends(client);
  if (damage.empty()) return;
  throw PostgresUnsafe(
      "the database " + uri.database + " is damaged, " + damage,
      "run: pixledger verify; then see \"When PostgreSQL has other rows than the copies\" in "
      "docs/how-to/operate/lost-commits.md; until then nodes write nothing");
}

void confirm(PgClient& client) {
  try {
    client.commit();
  } catch (const LogOutcomeUnknown& unknown) {
    throw LogUnavailable(unknown.what());
  }
}

std::unique_ptr<PgClient> start_client(const SharedNode& node, const LmdbLog* copy, DeadlineWatch& watch) {
  auto client = std::make_unique<PgClient>(node.uri, node.times, watch);
  // Shown in pg_stat_activity.
  client->run("SET application_name = " + literal("pixledger " + node.name));
  check_settings(*client);
  check_ledger(*client, node, copy);
  if (!node.care.commits_synchronously) client->run("SET synchronous_commit = local");
  if (node.care.writes_before_it_reads) note_node(*client, node, copy);
  if (!copy) return client;
  try {
    check_copy(*client, *copy);
  } catch (const CopyAstray&) {
    report_loss(*client, node, *copy);
    throw;
  }
  return client;
}

std::unique_ptr<PgClient> start_database_client(const SharedNode& node, DeadlineWatch& watch) {
  auto client = std::make_unique<PgClient>(node.uri, node.times, watch);
  check_settings(*client);
  if (!find_shared_ledger(*client))
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database);
  client->run("BEGIN");
  if (client->run_prepared(kConfirm, node.name).empty())
    throw LogUnavailable("PostgreSQL does not know the node " + node.name + " yet");
  confirm(*client);
  return client;
}

}  // namespace pixledger::eventstore
