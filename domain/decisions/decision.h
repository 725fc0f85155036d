#pragma once

#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/rejection.h"
#include "domain/values/cuid.h"

namespace pixledger::domain {

// Time and ids, as the log gives them to one command. Same context, same state, same command: same decision.
struct Context {
  Timestamp now;
  IdMint ids;
};

// Ids that one decision may mint at most.
constexpr unsigned kIdsPerDecisionMax = 4;

// What a command comes to. A rejection may have events as well: an overdue charge that is paid too late is
// refused and expires.
struct Decision {
  std::vector<NewEvent> events;
  Outcome outcome;
};

inline Decision refuse(Rejection rejection) { return {{}, {rejection, {}}}; }
inline Decision nothing_to_do() { return {}; }
inline Decision record(StreamName stream, const ProjectId& project, Event event) {
  return {{NewEvent{std::move(stream), project, std::move(event)}}, {}};
}

}  // namespace pixledger::domain
