#include "http/project_of.h"

namespace pixledger::http {

std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller) {
  auto state = services.states.find(domain::project_stream(caller.project), caller.arrival);
  const auto* project = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  if (!project) throw eventstore::LogCorrupt("a key names a project that the ledger does not have");
  return {std::move(state), project};
}

}  // namespace pixledger::http
