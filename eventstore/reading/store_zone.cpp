#include "eventstore/reading/store_zone.h"

namespace pixledger::eventstore {

std::optional<TimeZone> store_zone(const domain::StoreSettings& settings) {
  const auto& name = settings.time_zone;
  return TimeZone::parse(name ? name->text() : domain::kTimeZoneDefault);
}

}  // namespace pixledger::eventstore
