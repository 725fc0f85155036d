#include "eventstore/reading/projects.h"

#include <algorithm>

namespace pixledger::eventstore {

std::vector<ProjectRole> memberships_of(const Log& log, StateReader& states, const Head& head,
                                        const domain::UserId& user) {
  std::vector<ProjectRole> found;
  const domain::StreamName* last = nullptr;
  const auto claims = log.claims_with_prefix(domain::member_claim_prefix(user));
  for (const auto& [claim, stream] : claims) {
    // Each addition of a member has made a claim, and those of one project are adjacent.
    if (last && *last == stream) continue;
    last = &stream;
    const auto state = states.find(stream, head);
    const auto* member = domain::find_member(state ? std::get_if<domain::Team>(state.get()) : nullptr, user);
    const auto project = domain::ProjectId::parse(stream.key());
    if (member && project) found.push_back({*project, member->role});
  }
  return found;
}

bool has_members(const Log& log) {
  const auto projects = log.claims_with_prefix(domain::project_claim_prefix());
  return std::any_of(projects.begin(), projects.end(), [&log](const auto& claim) {
    const auto project = domain::ProjectId::parse(claim.second.key());
    const auto team = project ? fold_as<domain::Team>(log, domain::team_stream(*project)) : std::nullopt;
    return team && !team->members.empty();
  });
}

std::optional<TimeZone> store_zone(const domain::StoreSettings& settings) {
  const auto& name = settings.time_zone;
  return TimeZone::parse(name ? name->text() : domain::kTimeZoneDefault);
}

}  // namespace pixledger::eventstore
