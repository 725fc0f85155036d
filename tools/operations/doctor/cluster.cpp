#include <algorithm>

#include "base/text/text.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/cluster_look.h"
#include "eventstore/postgres/lost_commits.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr std::uint64_t kLagMax = 10'000;
constexpr std::int64_t kClockDifferenceMaxMs = 10'000;

std::string of(std::uint64_t events, Position head) {
  return std::to_string(events) + " of " + std::to_string(head.value()) + " events";
}

void examine_node(const eventstore::NodeState& node, Position head, Diagnoses& found) {
  const auto lag = head.value() - std::min(head.value(), node.position.value());
  const auto name = "node " + node.name;
  if (!node.is_live)
    found.push_back({name, Severity::kWarning, "away; its copy had " + of(node.position.value(), head),
                     "start its programs, unless it only cannot write; when it is gone for good, take its "
                     "row out of the table node"});
  else if (lag > kLagMax)
    found.push_back({name, Severity::kWarning, "its copy lacks " + of(lag, head),
                     "wait, if it has only just started; else see its log, and whether its disk is full"});
  else
    found.push_back({name, Severity::kOk, "there, with " + of(node.position.value(), head), ""});
}

void examine_lease(const eventstore::ClusterLook::Lease& lease, Diagnoses& found) {
  if (lease.is_held)
    found.push_back({lease.worker, Severity::kOk, "at work on " + lease.node, ""});
  else
    found.push_back({lease.worker, Severity::kWarning, "at work nowhere, last on " + lease.node,
                     "start it on a node, better on two"});
}

void examine_losses(const eventstore::ClusterLook& look, Diagnoses& found) {
  if (look.losses.empty()) return;
  found.push_back(
      {"lost commits", Severity::kProblem, eventstore::reason_of_stop(look.losses),
       "on that node: pixledger kept show; once it is settled: pixledger ledger accept-loss --kept "
       "DIR"});
}

// An unreachable host may also be a missing standby: reported once.
void examine_redundancy(const eventstore::Redundancy& seen, Diagnoses& found) {
  for (const auto& host : seen.hosts)
    if (!host.problem.empty())
      found.push_back(
          {"host " + host.name, Severity::kWarning, "does not answer: " + host.problem,
           "start PostgreSQL there: patronictl list; a host that is gone for good is taken out of "
           "--ledger"});
  if (!seen.problem.empty() || seen.standbys >= seen.standbys_wanted) return;
  found.push_back(
      {"standbys", Severity::kWarning,
       std::to_string(seen.standbys) + " of " + std::to_string(seen.standbys_wanted) + " follow the primary",
       "see which is missing: patronictl list; once the last one is missing nothing is written"});
}

void examine_tls(const eventstore::LedgerOptions& options, const eventstore::LedgerUri& uri,
                 Diagnoses& found) {
  const auto hosts = uri.plain_hosts();
  if (hosts.empty()) return;
  found.push_back({"TLS to PostgreSQL",
                   options.allow_plain_postgres ? Severity::kWarning : Severity::kProblem,
                   "none that is verified to " + joined(hosts, ", "),
                   "add sslmode=verify-full and sslrootcert=FILE to --ledger" +
                       std::string(options.allow_plain_postgres ? ", and take allow-plain-postgres away"
                                                                : "; until then no program starts")});
}

void examine_time(Timestamp there, Timestamp here, Diagnoses& found) {
  const auto ahead = here.millis() - there.millis();
  const auto difference = ahead < 0 ? -ahead : ahead;
  if (difference <= kClockDifferenceMaxMs) return;
  found.push_back({"clock", Severity::kProblem,
                   std::to_string(difference / 1000) + " s " + (ahead > 0 ? "ahead of" : "behind") +
                       " PostgreSQL's; by more than a minute this machine writes nothing",
                   "set the clocks of both by NTP"});
}

}  // namespace

void examine_cluster(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    const auto node = eventstore::node_of(options.data);
    if (!node) return;
    examine_tls(options, node->uri, found);
    const auto look = eventstore::look_at_cluster(node->uri);
    found.push_back({"shared ledger", Severity::kOk,
                     look.ledger.ledger_id + " in the database " + node->uri.database + ", " +
                         std::to_string(look.head.value()) + " events; this is its node " + node->name.text +
                         "; synchronous_standby_names = '" + look.standbys + "'",
                     ""});
    if (!look.damage.empty())
      found.push_back(
          {"shared ledger", Severity::kProblem, "the database is damaged, " + look.damage,
           "run: pixledger verify; then see \"When PostgreSQL has other rows than the copies\" in "
           "docs/how-to/operate/lost-commits.md; until then nodes write nothing"});
    if (!look.missing_standby.empty())
      found.push_back({"shared ledger", Severity::kProblem, look.missing_standby,
                       "start a standby that is named there, or let Patroni name another: patronictl list; "
                       "until then nodes write nothing, and count as away"});
    examine_losses(look, found);
    examine_redundancy(eventstore::look_at_redundancy(node->uri), found);
    if (!look.excess_rights.empty())
      found.push_back({"shared ledger", Severity::kProblem, look.excess_rights + ", which no node needs",
                       "let --ledger name the servers' role, which may not, and keep the owner's for "
                       "--ledger-owner"});
    examine_time(look.time, clock.now(), found);
    for (const auto& one : look.nodes) examine_node(one, look.head, found);
    for (const auto& lease : look.leases) examine_lease(lease, found);
  } catch (const eventstore::PostgresUnsafe& unsafe) {
    found.push_back({"shared ledger", Severity::kProblem, unsafe.what(), unsafe.advice()});
  } catch (const std::exception& error) {
    found.push_back({"shared ledger", Severity::kProblem, error.what(),
                     "see that PostgreSQL answers, and has a primary with a synchronous standby: patronictl "
                     "list"});
  }
}

}  // namespace pixledger::tools
