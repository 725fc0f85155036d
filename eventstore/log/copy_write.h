#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log.h"

// How a node's copy of a shared ledger takes in the commits of other nodes.
namespace pixledger::eventstore {

// An event as another node has stored it, and the names that it states.
struct DecidedEvent {
  StreamName stream;
  std::uint32_t version;
  std::string leaf;      // envelope and digest of the personal bytes
  std::string personal;  // empty: none, or erased
  std::vector<ClaimName> claims;
};

// An idempotency record with its own commit's time: a published ledger brings older records along.
struct DecidedRecord {
  Timestamp time;
  NewIdempotencyRecord record;
};

// One commit. It may have no events, only idempotency records.
struct DecidedBatch {
  std::uint64_t number = 0;  // counts a ledger's commits, from 1
  Timestamp time;
  std::uint32_t id_counter = 0;
  Digest root{};  // of the tree after this commit
  std::vector<DecidedEvent> events;
  std::vector<DecidedRecord> idempotency;
};

// The copy's history differs from the shared ledger's, or one of them was tampered with.
class CopyAstray : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A commit results in another root than the node that decided it has recorded.
class WrongRoot : public CopyAstray {
 public:
  using CopyAstray::CopyAstray;
};

// A write to a copy: takes in commits of other nodes, and may then decide a batch of its own. A power failure
// may lose what the copy has committed: PostgreSQL has it.
class CopyWrite : public LogWrite {
 public:
  // The number of the newest commit taken in; 0: none.
  virtual std::uint64_t batch() const = 0;
  // The tree's root, including what this write has taken in and appended.
  virtual Digest root() const = 0;
  // Takes in the commit after batch(). Throws CopyAstray if it does not follow the copy's history, and
  // WrongRoot.
  virtual void take_in(const DecidedBatch& batch) = 0;
};

}  // namespace pixledger::eventstore
