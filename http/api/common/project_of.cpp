#include "http/api/common/project_of.h"

#include "eventstore/reading/state_reader.h"
#include "eventstore/reading/store_zone.h"

namespace pixledger::http {

std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller) {
  return project_of(services, caller, caller.arrival);
}

std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller,
                                                  const Head& head) {
  auto state = services.states.find(domain::project_stream(caller.project), head);
  const auto* project = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  if (!project) throw eventstore::LogCorrupt("a key names a project that the ledger does not have");
  return {std::move(state), project};
}

TimeZone zone_of(const Services& services, const Caller& caller) {
  return eventstore::store_zone(project_of(services, caller)->settings).value_or(TimeZone());
}

}  // namespace pixledger::http
