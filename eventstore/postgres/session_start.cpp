#include "eventstore/postgres/session_start.h"

#include "eventstore/platform/clock.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/node_keys.h"
#include "eventstore/postgres/node_place.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/tree/log_tree.h"

namespace pixledger::eventstore {
namespace {

// Written at the start of each session. Another directory may take over the name of a row that is older; what
// that one had erased is not erased in this one. What this directory was called before is its name no more
// once it is opened by another ($5): nobody waits for that one's part of an erasure. Tells which other node
// this directory is.
constexpr PreparedStatement kNote{
    "note",
    "WITH same AS (SELECT name, $5::boolean AND (boot = $3 OR seen < clock_timestamp() - interval '10 s') AS "
    "is_former FROM node WHERE directory = $2 AND name <> $1), "
    "former AS (DELETE FROM node WHERE name IN (SELECT name FROM same WHERE is_former) "
    "RETURNING erased, scrubs) "
    "INSERT INTO node AS n (name, directory, boot, position, erased, scrubs, seen) "
    "SELECT $1, $2, $3, $4::bigint, coalesce(max(erased), 0), coalesce(max(scrubs), 0), clock_timestamp() "
    "FROM former ON CONFLICT (name) DO UPDATE SET directory = $2, boot = $3, position = $4, "
    "erased = CASE WHEN n.directory = $2 THEN n.erased ELSE excluded.erased END, seen = clock_timestamp() "
    "WHERE (n.directory = $2 AND n.boot = $3) OR n.seen < clock_timestamp() - interval '10 s' "
    "RETURNING (SELECT min(name) FROM same WHERE NOT is_former)"};

std::string name_of(const LogIdentity& ledger) {
  return ledger.ledger_id + " (epoch " + std::to_string(ledger.epoch) + ")";
}

void check_ledger(PgSession& session, const SharedNode& node, const LmdbLog* copy) {
  const auto found = find_shared_ledger(session);
  if (!found)
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database +
                         ": make one with pixledger init, or bring one there with pixledger migrate");
  // Before the node is known there, and anything is fetched.
  if (!copy) refuse_other_keys(node, found->ledger.ledger_id, found->keyring);
  if (copy && found->ledger != copy->identity())
    throw LedgerMismatch("the database " + node.uri.database + " has the ledger " + name_of(found->ledger) +
                         ", and " + node.directory.string() + " a copy of " + name_of(copy->identity()));
}

// Where the node is that has that name.
std::string place_of_row(PgSession& session, const std::string& name) {
  const auto row =
      session.run("SELECT directory || ', boot ' || boot FROM node WHERE name = " + literal(name));
  return row.empty() ? std::string("(gone)") : row.at(0).at(0).as<std::string>();
}

void note_node(PgSession& session, const SharedNode& node, const LmdbLog* copy) {
  session.run("BEGIN");
  const auto place = place_of(node);
  const auto noted = session.run_prepared(kNote, node.name, place, SystemClock().boot_id(),
                                          copy ? copy->head().position.value() : 0, node.may_rename);
  if (noted.empty())
    throw NodeTaken("another directory is at work as the node " + node.name + ": " +
                    place_of_row(session, node.name) + ", and this is " + place +
                    "; give this one a --node of its own");
  if (!noted.at(0).at(0).is_null())
    throw NodeTaken(
        "the directory " + place + " is the node " + noted.at(0).at(0).as<std::string>() +
        " by now, and here " + node.name +
        ": its programs were started under another name, or it was copied whole, disk and all; then "
        "remove node.id and ledger/ from the copy");
  confirm(session);
}

// A copy that has another commit than there is, or more, was of a primary whose commits were lost, or of
// another database.
void check_copy(PgSession& session, const LmdbLog& copy) {
  const auto [batch, last] = copy.copied();
  if (batch == 0) return;
  const auto there = session.run("SELECT root FROM batch WHERE number = " + std::to_string(batch));
  if (there.empty())
    throw CopyAstray("PostgreSQL has no commit " + std::to_string(batch) + " as the copy has");
  const auto root = digest_of(there.at(0).at(0));
  const auto here = tree_root(last.value(), TreeOfLog(copy));
  if (root != here)
    throw CopyAstray("commit " + std::to_string(batch) + " has the root " + to_hex(root) +
                     " in PostgreSQL, and " + to_hex(here) + " in the copy");
}

}  // namespace

PostgresUnsafe no_synchronous_standby() {
  return PostgresUnsafe("PostgreSQL has no synchronous standby (synchronous_standby_names is empty)");
}

void check_settings(PgSession& session) {
  const auto row =
      session
          .run(
              "SELECT pg_is_in_recovery(), current_setting('fsync'), "
              "current_setting('full_page_writes'), current_setting('synchronous_standby_names')")
          .at(0);
  if (row.at(0).as<bool>())
    throw LogUnavailable("PostgreSQL answers as a standby; the URI wants target_session_attrs=read-write");
  if (row.at(1).as<std::string>() != "on") throw PostgresUnsafe("PostgreSQL has fsync off");
  if (row.at(2).as<std::string>() != "on") throw PostgresUnsafe("PostgreSQL has full_page_writes off");
  if (row.at(3).as<std::string>().empty()) throw no_synchronous_standby();
}

void confirm(PgSession& session) {
  try {
    session.commit();
  } catch (const LogOutcomeUnknown& unknown) {
    throw LogUnavailable(unknown.what());
  }
}

std::unique_ptr<PgSession> start_session(const SharedNode& node, const LmdbLog* copy, DeadlineWatch& watch) {
  auto session = std::make_unique<PgSession>(node.uri, node.times, watch);
  // For who looks at pg_stat_activity.
  session->run("SET application_name = " + literal("pixledger " + node.name));
  check_settings(*session);
  check_ledger(*session, node, copy);
  if (!node.care.commits_synchronously) session->run("SET synchronous_commit = local");
  if (node.care.writes_before_it_reads) note_node(*session, node, copy);
  if (copy) check_copy(*session, *copy);
  return session;
}

}  // namespace pixledger::eventstore
