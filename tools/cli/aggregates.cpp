#include "tools/cli/aggregates.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/process/options.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/projects.h"
#include "stores/deliveries/channels.h"

namespace pixledger::tools {
namespace {

template <class Aggregate>
std::vector<Aggregate> holders(const eventstore::Log& log, const std::string& claim_prefix,
                               Position up_to = eventstore::kNoLimit) {
  std::vector<Aggregate> found;
  for (const auto& [claim, stream] : log.claims_with_prefix(claim_prefix)) {
    auto state = eventstore::fold_as<Aggregate>(log, stream, up_to);
    if (state) found.push_back(*std::move(state));
  }
  return found;
}

template <class Aggregate, class Member>
std::vector<Aggregate> sorted_by(std::vector<Aggregate> items, Member created_at) {
  std::stable_sort(items.begin(), items.end(), [created_at](const Aggregate& left, const Aggregate& right) {
    return left.*created_at < right.*created_at;
  });
  return items;
}

}  // namespace

std::vector<domain::Project> all_projects(const eventstore::Log& log) {
  return sorted_by(holders<domain::Project>(log, domain::project_claim_prefix()),
                   &domain::Project::created_at);
}

std::vector<domain::ApiKey> keys_of(const eventstore::Log& log, const domain::ProjectId& project) {
  return sorted_by(holders<domain::ApiKey>(log, domain::api_key_claim_prefix(project)),
                   &domain::ApiKey::issued_at);
}

std::vector<domain::Channel> channels_of(const eventstore::Log& log, const domain::ProjectId& project) {
  std::vector<domain::Channel> found;
  for (const auto& stream : stores::project_channels(log, project).streams) {
    if (auto channel = eventstore::fold_as<domain::Channel>(log, stream))
      found.push_back(*std::move(channel));
  }
  return sorted_by(std::move(found), &domain::Channel::created_at);
}

std::vector<domain::UnmatchedPayment> unmatched_payments_of(const eventstore::Log& log,
                                                            const std::optional<domain::ProjectId>& project,
                                                            Position up_to) {
  const auto prefix = project ? domain::unmatched_claim_prefix(*project) : domain::unmatched_claim_prefix();
  return sorted_by(holders<domain::UnmatchedPayment>(log, prefix, up_to), &domain::UnmatchedPayment::paid_at);
}

domain::Charge charge_of(const eventstore::Log& log, const domain::RecordedEvent& event, Position up_to) {
  auto charge = eventstore::fold_as<domain::Charge>(log, event.stream, up_to);
  if (!charge) throw eventstore::LogCorrupt("a charge that was created has no stream");
  return *std::move(charge);
}

std::vector<UnappliedOfCharge> unapplied_payments_of(const eventstore::Log& log,
                                                     const domain::ProjectId& project) {
  using Fate = UnappliedOfCharge::Fate;
  std::vector<UnappliedOfCharge> found;
  eventstore::for_each_event(log, {}, log.head().position, [&](const domain::RecordedEvent& event) {
    const auto* left = fact_of<domain::PaymentLeftUnapplied>(event);
    if (!left || event.project != project) return;
    const auto charge = charge_of(log, event);
    UnappliedOfCharge listed{.payment = {.end_to_end_id = left->end_to_end_id,
                                         .amount = left->amount,
                                         .paid_at = left->paid_at,
                                         .received_at = event.recorded_at,
                                         .flag = left->flag},
                             .charge = charge.id,
                             .environment = charge.environment,
                             .connection = charge.connection,
                             .fate = Fate::kAccepted};
    for (const auto& [payments, fate] :
         {std::pair(&charge.unapplied, Fate::kOpen), std::pair(&charge.returned, Fate::kReturned)})
      for (const auto& payment : *payments)
        if (payment.end_to_end_id == left->end_to_end_id) {
          listed.payment = payment;
          listed.fate = fate;
        }
    found.push_back(std::move(listed));
  });
  return found;
}

domain::ProjectId parse_project(std::string_view text) {
  return parse_option<domain::ProjectId>("--project", text);
}

std::optional<domain::Project> find_project(const eventstore::Log& log, const domain::ProjectId& project) {
  return eventstore::fold_as<domain::Project>(log, domain::project_stream(project));
}

TimeZone zone_of(const domain::Project& project) {
  const auto zone = eventstore::store_zone(project.settings);
  if (!zone)
    throw UsageError("this machine's time zone database does not have " +
                     std::string(project.settings.time_zone ? project.settings.time_zone->text()
                                                            : domain::kTimeZoneDefault) +
                     ", the zone of the project: install tzdata, or give --timezone");
  return *zone;
}

TimeZone zone_of(const eventstore::Log& log, const domain::ProjectId& id) {
  const auto project = find_project(log, id);
  if (!project) throw eventstore::LogCorrupt("a record names a project that the ledger does not have");
  return zone_of(*project);
}

TimeZone zone_of(const std::optional<TimeZone>& asked, const std::optional<domain::Project>& project) {
  if (asked) return *asked;
  return project ? zone_of(*project) : TimeZone();
}

domain::Team team_of(const eventstore::Log& log, const domain::ProjectId& project) {
  return eventstore::fold_as<domain::Team>(log, domain::team_stream(project)).value_or(domain::Team{});
}

std::optional<domain::Charge> find_charge(const eventstore::Log& log, const domain::ChargeId& charge,
                                          Position up_to) {
  return eventstore::fold_as<domain::Charge>(log, domain::charge_stream(charge), up_to);
}

}  // namespace pixledger::tools
