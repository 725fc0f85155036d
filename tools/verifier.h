#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/log.h"
#include "eventstore/sha256.h"

namespace pixledger::tools {

// The first thing that is wrong.
struct Finding {
  domain::Position position;
  std::string problem;
};

struct Verification {
  std::optional<Finding> finding;  // none: the ledger is consistent
  std::uint64_t events = 0;
  std::uint64_t streams = 0;   // 0 when events were not decoded
  std::uint64_t claims = 0;    // likewise
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t erased = 0;    // events whose personal data is gone
  domain::Timestamp newest;    // of the newest event; likewise
  eventstore::Digest root{};   // of the tree over all events
};

enum class VerificationDepth {
  kStructure,  // positions, personal digests, leaves, tree
  kMeaning,    // and what the events say: times, streams, claims
};

// Reads the whole log, while others may go on writing, and checks that nothing in it contradicts anything
// else. Proves consistency, not authenticity: whoever can write all of the ledger can make another consistent
// one.
Verification verify_log(const eventstore::Log& log, VerificationDepth depth);

}  // namespace pixledger::tools
