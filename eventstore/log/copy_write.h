#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log.h"

// How a log takes in what was decided elsewhere: a node's copy of a ledger that several machines share.
namespace pixledger::eventstore {

// An event as another node has stored it, and the names that it states.
struct DecidedEvent {
  StreamName stream;
  std::uint32_t version;
  std::string leaf;      // envelope and digest of the personal bytes
  std::string personal;  // empty: none, or erased
  std::vector<ClaimName> claims;
};

// An idempotency record, as of the commit that it is of: a ledger that was published brings older ones along.
struct DecidedRecord {
  Timestamp time;
  NewIdempotencyRecord record;
};

// One commit. It may have no events, but idempotency records alone.
struct DecidedBatch {
  std::uint64_t number = 0;  // counts a ledger's commits, from 1
  Timestamp time;
  std::uint32_t id_counter = 0;
  Digest root{};  // of the tree after it
  std::vector<DecidedEvent> events;
  std::vector<DecidedRecord> idempotency;
};

// The copy has another history than what it is a copy of, or one of them was tampered with.
class CopyAstray : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was taken in makes another root than whoever decided it has written down.
class WrongRoot : public CopyAstray {
 public:
  using CopyAstray::CopyAstray;
};

// A write of a copy: takes in what others have decided, and may then decide a batch of its own. What the copy
// commits may be lost with the machine's power, as it is there where the order is decided.
class CopyWrite : public LogWrite {
 public:
  // The number of the newest commit that it has taken in; 0: none.
  virtual std::uint64_t batch() const = 0;
  // Of the tree, with what this write has taken in and appended.
  virtual Digest root() const = 0;
  // The commit after batch(). Throws CopyAstray when it does not fit what is there, and WrongRoot.
  virtual void take_in(const DecidedBatch& batch) = 0;
};

}  // namespace pixledger::eventstore
