#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

namespace pixledger::http {

inline constexpr std::string_view kEventCursorRule =
    "must be a cursor that this ledger gave to this project since its last restore";

// Names a place in the log to the callers of one project: behind the event at this position. To be kept and
// given back, not to be understood; the same place has the same name for ever, until the ledger is restored.
std::string event_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                         domain::Position position);

// nullopt for one of another ledger, epoch or project, or of a place that the log does not have.
std::optional<domain::Position> parse_event_cursor(const eventstore::Log& log,
                                                   const domain::ProjectId& project, std::string_view text);

}  // namespace pixledger::http
