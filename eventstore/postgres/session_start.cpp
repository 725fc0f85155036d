#include "eventstore/postgres/session_start.h"

#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/node_keys.h"
#include "eventstore/postgres/node_row.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/tree/log_tree.h"

namespace pixledger::eventstore {
namespace {

// It changes nothing and is a write all the same, which returns when a standby has it and all before it.
constexpr PreparedStatement kConfirm{"confirm", "UPDATE node SET boot = boot WHERE name = $1 RETURNING name"};

// As one moment has them. A ledger that has no commit yet has none of either.
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

void check_ledger(PgSession& session, const SharedNode& node, const LmdbLog* copy) {
  const auto found = find_shared_ledger(session);
  if (!found)
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database +
                         ": make one with pixledger init, or bring one there with pixledger migrate");
  // Before the node is known there, and anything is fetched.
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

void check_settings(PgSession& session) {
  const auto row =
      session
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

std::string damage_at_ends(PgSession& session) {
  const auto found = session.run(kDamageAtEnds);
  return found.empty() || found.at(0).at(0).is_null() ? "" : found.at(0).at(0).as<std::string>();
}

void check_ends(PgSession& session, const LedgerUri& uri) {
  const auto damage = damage_at_ends(session);
  if (damage.empty()) return;
  throw PostgresUnsafe(
      "the database " + uri.database + " is damaged, " + damage,
      "run: pixledger verify; then see \"When PostgreSQL has other rows than the copies\" in "
      "OPERATING.md; until then nodes write nothing");
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
  if (!copy) return session;
  try {
    check_copy(*session, *copy);
  } catch (const CopyAstray&) {
    report_loss(*session, node, *copy);
    throw;
  }
  return session;
}

std::unique_ptr<PgSession> start_store_session(const SharedNode& node, DeadlineWatch& watch) {
  auto session = std::make_unique<PgSession>(node.uri, node.times, watch);
  check_settings(*session);
  if (!find_shared_ledger(*session))
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database);
  session->run("BEGIN");
  if (session->run_prepared(kConfirm, node.name).empty())
    throw LogUnavailable("PostgreSQL does not know the node " + node.name + " yet");
  confirm(*session);
  return session;
}

}  // namespace pixledger::eventstore
