#include "stores/accounting/project_events.h"

#include "eventstore/codec/codec.h"
#include "eventstore/reading/log_scan.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kEventsPerLook = 1'000;

}  // namespace

void LoggedProjectEvents::begin_at(Timestamp moment) {
  after_ = eventstore::position_at(log_, moment.plus_millis(-1));
}

bool LoggedProjectEvents::look(const Visit& visit) {
  const auto stored = log_.read_after(after_, kEventsPerLook);
  for (const auto& event : stored) {
    if (event.position > as_of_) return false;
    after_ = event.position;
    const auto decoded = eventstore::decode(event);
    if (decoded.project == project_) visit(decoded);
  }
  return !stored.empty();
}

}  // namespace pixledger::stores
