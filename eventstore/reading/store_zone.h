#pragma once

#include <optional>

#include "base/platform/time_zone.h"
#include "domain/aggregates/project.h"

namespace pixledger::eventstore {

// The time zone of a store. nullopt if this machine's time zone database does not have it.
std::optional<TimeZone> store_zone(const domain::StoreSettings& settings);

}  // namespace pixledger::eventstore
