#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/reading/erasure.h"

namespace pixledger::eventstore {

// Which personal data of a backup a restore leaves out because an event that was recorded later, possibly in
// a later piece, has erased them. What was gone when the backup was made is not in it in any case.
class ErasedPersonal {
 public:
  // `end`: where the restore cuts.
  explicit ErasedPersonal(Position end) : end_(end) {}

  // Every event of all pieces, in order, before any is restored.
  void learn(const domain::RecordedEvent& event);

  // Asked of every event that is restored, in order. Throws BackupRefused when an erasure beyond the cut took
  // its data: without that erasure nothing would explain that they are missing, and with them it would be
  // undone.
  bool takes(const domain::RecordedEvent& event);

  // Of erased customers, among the events so far.
  const std::vector<domain::ChargeId>& charges() const { return kept_.charges(); }

 private:
  void learn_of_session(const domain::RecordedEvent& event, const domain::CheckoutEvent& change);

  Position end_;
  ErasedPersonalData kept_;    // by erasures that are restored
  ErasedPersonalData beyond_;  // by those that are not
  std::unordered_map<StreamName, Position> last_erasure_;
  std::unordered_set<StreamName> sessions_;  // with personal data of whom they will be paid by
};

}  // namespace pixledger::eventstore
