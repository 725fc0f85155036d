#pragma once

#include <set>

#include "domain/event.h"

namespace pixledger::eventstore {

// Which personal data of a backup a restore leaves out because an event that was recorded later, possibly in
// a later piece or after the position at which the restore cuts, has erased them. What was gone when the
// backup was made is not in it in any case.
class ErasedPersonal {
 public:
  // Every event of all pieces, in order, before any is restored.
  void learn(const domain::RecordedEvent&) {}

  bool takes(domain::Position position) const { return positions_.count(position) > 0; }

 private:
  std::set<domain::Position> positions_;
};

}  // namespace pixledger::eventstore
