#include "eventstore/postgres/cluster_look.h"

#include <algorithm>
#include <cstdlib>

#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/lost_commits.h"

namespace pixledger::eventstore {

std::vector<NodeState> read_nodes(PgClient& client) {
  std::vector<NodeState> nodes;
  for (const auto& row : client.run("SELECT name, seen > clock_timestamp() - interval '10 s', position, "
                                    "erased FROM node ORDER BY name"))
    nodes.push_back({.name = row.at(0).as<std::string>(),
                     .is_live = row.at(1).as<bool>(),
                     .position = Position(row.at(2).as<std::uint64_t>()),
                     .erased = Position(row.at(3).as<std::uint64_t>())});
  return nodes;
}

// Includes the rights of superusers and of the tables' owner.
std::string excess_rights(PgClient& client) {
  const auto row = client
                       .run(
                           "SELECT current_user, string_agg(name, ' and ' ORDER BY name) "
                           "FROM unnest(ARRAY['batch', 'event']) AS recorded (name) "
                           "WHERE has_table_privilege('pixledger.' || name, 'UPDATE, DELETE, TRUNCATE') "
                           "OR has_any_column_privilege('pixledger.' || name, 'UPDATE')")
                       .at(0);
  if (row.at(1).is_null()) return {};
  return "the role " + row.at(0).as<std::string>() + " may change and delete what is recorded (" +
         row.at(1).as<std::string>() + ")";
}

std::string missing_standby(PgClient& client) {
  const auto row = client
                       .run(
                           "SELECT count(*), current_setting('synchronous_standby_names') "
                           "FROM pg_stat_activity WHERE datname = current_database() "
                           "AND usename = current_user AND wait_event = 'SyncRep' "
                           "AND state_change < clock_timestamp() - interval '2 s'")
                       .at(0);
  const auto commits = row.at(0).as<std::int64_t>();
  if (commits == 0) return {};
  return "no standby of synchronous_standby_names = '" + row.at(1).as<std::string>() + "' answers; " +
         std::to_string(commits) + (commits == 1 ? " commit waits" : " commits wait") + " for one";
}

namespace {

// Blocks; callers use a thread of their own.
constexpr PgTimeouts kOfHost{.connect = std::chrono::seconds(2), .answer = std::chrono::seconds(4)};

// "FIRST 2 (a, b)", "ANY 1 (a, b)", "2 (a, b)"; of any other list one must confirm.
std::uint64_t standbys_waited_for(const std::string& names) {
  if (names.empty()) return 0;
  const auto digit = names.substr(0, names.find('(')).find_first_of("0123456789");
  if (digit == std::string::npos || names.find('(') == std::string::npos) return 1;
  return std::strtoull(names.c_str() + digit, nullptr, 10);
}

// Run on the primary. A role without the right to see the activity of standbys still sees their number.
void count_standbys(PgClient& primary, Redundancy& redundancy) {
  const auto row = primary
                       .run(
                           "SELECT count(*) FILTER (WHERE state IS NULL OR state = 'streaming'), "
                           "current_setting('synchronous_standby_names') FROM pg_stat_replication")
                       .at(0);
  redundancy.standbys = row.at(0).as<std::uint64_t>();
  redundancy.standbys_wanted =
      std::max<std::uint64_t>(redundancy.hosts.size() - 1, standbys_waited_for(row.at(1).as<std::string>()));
  redundancy.problem.clear();
}

std::string name_of_host(const LedgerUri& uri) {
  const auto first = [](const std::vector<std::string>& some) { return some.empty() ? "" : some.front(); };
  const auto host = uri.hosts.empty() ? first(uri.addresses) : first(uri.hosts);
  return first(uri.ports).empty() ? host : host + ":" + first(uri.ports);
}

}  // namespace

Redundancy look_at_redundancy(const LedgerUri& uri) {
  Redundancy redundancy{.hosts = {}, .standbys = 0, .standbys_wanted = 0, .problem = "no host takes writes"};
  std::vector<LedgerUri> each;
  for (const auto& text : uri.of_each_host())
    if (auto one = LedgerUri::parse(text + (text.find('?') == std::string::npos ? "?" : "&") +
                                    "target_session_attrs=any")) {
      redundancy.hosts.push_back({.name = name_of_host(*one), .problem = {}});
      each.push_back(*std::move(one));
    }
  DeadlineWatch watch;
  for (std::size_t i = 0; i < each.size(); ++i) {
    try {
      PgClient client(each[i], kOfHost, watch);
      if (client.run("SELECT pg_is_in_recovery()").at(0).at(0).as<bool>()) continue;
      count_standbys(client, redundancy);
    } catch (const std::exception& error) {
      redundancy.hosts[i].problem = error.what();
    }
  }
  return redundancy;
}

ClusterLook look_at_cluster(const LedgerUri& uri) {
  DeadlineWatch watch;
  PgClient client(uri, PgTimeouts{}, watch);
  check_settings(client);
  const auto found = find_shared_ledger(client);
  if (!found) throw LedgerMismatch("there is no ledger in the database " + uri.database);
  const auto row = client
                       .run(
                           "SELECT position, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
                           "current_setting('synchronous_standby_names') FROM head")
                       .at(0);
  std::string open_losses = "SELECT ";
  open_losses += kOpenLosses;
  ClusterLook look{.ledger = found->ledger,
                   .head = Position(row.at(0).as<std::uint64_t>()),
                   .time = Timestamp(row.at(1).as<std::int64_t>()),
                   .standbys = row.at(2).as<std::string>(),
                   .missing_standby = missing_standby(client),
                   .nodes = read_nodes(client),
                   .leases = {},
                   .excess_rights = excess_rights(client),
                   .damage = damage_at_ends(client),
                   .losses = parse_losses(client.run(open_losses).at(0).at(0).as<std::string>())};
  for (const auto& turn : client.run("SELECT worker, node, until > clock_timestamp() FROM turn WHERE " +
                                     std::string(kIsLease) + " ORDER BY worker"))
    look.leases.push_back({.worker = turn.at(0).as<std::string>(),
                           .node = turn.at(1).as<std::string>(),
                           .is_held = turn.at(2).as<bool>()});
  return look;
}

}  // namespace pixledger::eventstore
