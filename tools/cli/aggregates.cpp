#include "tools/cli/aggregates.h"

#include <algorithm>
#include <string>

#include "eventstore/process/options.h"
#include "projections/deliveries/project_channels.h"

namespace pixledger::tools {
namespace {

template <class Aggregate>
std::vector<Aggregate> holders(const eventstore::Log& log, const std::string& claim_prefix,
                               domain::Position up_to = eventstore::kNoLimit) {
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
  for (const auto& stream : projections::project_channels(log, project).streams) {
    if (auto channel = eventstore::fold_as<domain::Channel>(log, stream))
      found.push_back(*std::move(channel));
  }
  return sorted_by(std::move(found), &domain::Channel::created_at);
}

std::vector<domain::UnmatchedPayment> unmatched_payments_of(const eventstore::Log& log,
                                                            const std::optional<domain::ProjectId>& project,
                                                            domain::Position up_to) {
  const auto prefix = project ? domain::unmatched_claim_prefix(*project) : domain::unmatched_claim_prefix();
  return sorted_by(holders<domain::UnmatchedPayment>(log, prefix, up_to), &domain::UnmatchedPayment::paid_at);
}

domain::ProjectId parse_project(std::string_view text) {
  return eventstore::parse_option<domain::ProjectId>("--project", text);
}

std::optional<domain::Project> find_project(const eventstore::Log& log, const domain::ProjectId& project) {
  return eventstore::fold_as<domain::Project>(log, domain::project_stream(project));
}

domain::Team team_of(const eventstore::Log& log, const domain::ProjectId& project) {
  return eventstore::fold_as<domain::Team>(log, domain::team_stream(project)).value_or(domain::Team{});
}

std::optional<domain::Charge> find_charge(const eventstore::Log& log, const domain::ChargeId& charge,
                                          domain::Position up_to) {
  return eventstore::fold_as<domain::Charge>(log, domain::charge_stream(charge), up_to);
}

}  // namespace pixledger::tools
