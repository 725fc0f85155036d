#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/log/log.h"
#include "http/services/services.h"

namespace pixledger::http {

inline constexpr std::string_view kEventCursorRule = "must be a cursor that this ledger gave to this project";

// The position of an event.
struct EventPlace {
  Position position;
  // A restore has cut off the named event. The position is then of the last remaining event that its client
  // may have seen.
  bool is_cut_off = false;
};

// Parses an event's id, or a cursor in the format of release 0.1.0. nullopt for anything else.
std::optional<EventPlace> find_event_place(const Services& services, const domain::ProjectId& project,
                                           std::string_view text);

// A cursor in the format of release 0.1.0, for a position of one epoch.
std::string old_event_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                             Position position);

}  // namespace pixledger::http
