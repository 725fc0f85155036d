#pragma once

#include <memory>

#include "base/platform/time_zone.h"
#include "domain/aggregates/project.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

// The caller's project, as of the request's arrival. Never null: a key is only issued for a project that is
// in the same log, so its absence is a fault (LogCorrupt).
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller);

// As of a later head, for what came after the request: charges that a list shows may have a connection that
// was added since.
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller,
                                                  const Head& head);

// Whose days the dates of the caller's requests are. UTC where this machine's time zone database does not
// have the store's zone; answers say which it was.
TimeZone zone_of(const Services& services, const Caller& caller);

}  // namespace pixledger::http
