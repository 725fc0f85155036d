#pragma once

#include "domain/event.h"

namespace pixledger::eventstore {

// Which personal data of a backup a restore leaves out because an event that was recorded later, possibly in
// a later piece or after the position at which the restore cuts, has erased them. What was gone when the
// backup was made is not in it in any case.
class ErasedPersonal {
 public:
  // Every event of all pieces, in order, before any is restored. No event of this release erases.
  void learn(const domain::RecordedEvent&) {}

  // Asked of every event that is restored, in order.
  bool takes(const domain::RecordedEvent&) { return false; }
};

}  // namespace pixledger::eventstore
