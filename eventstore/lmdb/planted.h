#pragma once

namespace pixledger::eventstore {

// Faults of the journal and the checkpoints, which tests of power loss must notice. Only a test build, with
// PIXLEDGER_PLANTED, has them.
enum class Planted {
  kJournalUnsynced,
  kSlotBeforeSync,
  kReaderReleasedEarly,
  kStaleReadersClearedByAll,
  kCommitBeforeJournal,
  kSegmentsReusedEarly,
  kCrcUnchecked,
  kOneMetaRestored,
};

#ifdef PIXLEDGER_PLANTED
// Whether this process has the fault. The test defines it.
bool is_planted(Planted fault);
#else
constexpr bool is_planted(Planted) { return false; }
#endif

}  // namespace pixledger::eventstore
