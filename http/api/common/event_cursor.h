#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/log/log.h"
#include "http/services/services.h"

namespace pixledger::http {

inline constexpr std::string_view kEventCursorRule = "must be a cursor that this ledger gave to this project";

// The place behind an event.
struct EventPlace {
  Position position;
  // A restore has cut off the event that was named; the position is then of the last one that whoever named
  // it may have known, which is still there.
  bool is_cut_off = false;
};

// The place that a caller names: by an event's id, or by a cursor as release 0.1.0 gave them. nullopt for
// everything else.
std::optional<EventPlace> find_event_place(const Services& services, const domain::ProjectId& project,
                                           std::string_view text);

// As release 0.1.0 gave them, for a position of one epoch.
std::string old_event_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                             Position position);

}  // namespace pixledger::http
