#include "eventstore/postgres/node_row.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "base/platform/clock.h"
#include "eventstore/postgres/node_place.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/postgres/session_start.h"

namespace pixledger::eventstore {
namespace {

using Monotonic = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurnEvery{500};

// $4 are rows that stood still, as kInTheWay tells them: who has written since has another time. What another
// directory had erased is not erased in this one. What this directory was called before is its name no more:
// nobody waits for that one's part of an erasure. Tells which other node this directory is.
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

// The name's row where that is another's, and what else this directory is called, each with its last write.
constexpr PreparedStatement kInTheWay{
    "in_the_way",
    "SELECT coalesce(string_agg(name || '@' || extract(epoch FROM seen), ' ' ORDER BY name), '') FROM node "
    "WHERE CASE WHEN name = $1 THEN NOT (directory LIKE '%#' || $2::text AND boot = $3) "
    "ELSE directory LIKE '%#' || $2::text AND NOT ($4::boolean AND boot = $3) END"};

// A node and the place that it is at, in one session.
class NodeRow {
 public:
  NodeRow(PgSession& session, const SharedNode& node, const LmdbLog* copy)
      : session_(session), node_(node), position_(copy ? copy->head().position.value() : 0) {}

  // What is in the way, for people; nullopt where it is written. `still`: rows that stood still.
  std::optional<std::string> try_to_write(const std::string& still) {
    session_.run("BEGIN");
    const auto noted = session_.run_prepared(kNoteNode, node_.name, mark_, boot_, still, node_.may_rename,
                                             place_, position_);
    if (!noted.empty() && noted.at(0).at(0).is_null()) {
      confirm(session_);
      return std::nullopt;
    }
    session_.run("ROLLBACK");
    return noted.empty() ? problem_of_name() : problem_of_directory(noted.at(0).at(0).as<std::string>());
  }

  // What stood still all the time; empty where something has moved.
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
    return session_.run_prepared(kInTheWay, node_.name, mark_, boot_, node_.may_rename)
        .at(0)
        .at(0)
        .as<std::string>();
  }
  std::string problem_of_name() {
    const auto row = session_.run("SELECT directory FROM node WHERE name = " + literal(node_.name));
    return "another directory is at work as the node " + node_.name + ": " +
           (row.empty() ? "(gone)" : directory_of_place(row.at(0).at(0).as<std::string>())) + host_of_name() +
           ", and this is " + directory_of_place(place_) + " here; give this one a --node of its own";
  }
  // Two machines have the same paths: from where it comes to PostgreSQL, unless that is this machine.
  std::string host_of_name() {
    const auto row = session_.run(
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

  PgSession& session_;
  const SharedNode& node_;
  const std::uint64_t position_;
  const std::string place_ = place_of(node_);
  const std::string mark_ = mark_of_place(place_);
  const std::string boot_ = SystemClock().boot_id();
};

}  // namespace

void note_node(PgSession& session, const SharedNode& node, const LmdbLog* copy) {
  NodeRow row(session, node, copy);
  const auto problem = row.try_to_write({});
  if (!problem) return;
  if (node.times.standstill == std::chrono::milliseconds(0)) throw LogUnavailable(*problem);
  if (const auto moved = row.try_to_write(row.watch())) throw NodeTaken(*moved);
}

}  // namespace pixledger::eventstore
