#pragma once

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/log_import.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// Appends events within one write: the event, its personal data, its stream's index, its names and its part
// of the tree. The only place that adds to them. The head's record is the caller's.
class EventAppender {
 public:
  // `head`: the position of the newest event.
  EventAppender(MDB_txn* transaction, const LmdbLog::Databases& databases, Position head);

  // Throws LmdbError also when a stream has this version or another stream has a name (MDB_KEYEXIST).
  void append(const AppendedEvent& event);

  // The position of the newest event.
  Position last() const { return last_; }
  Digest root() const { return frontier_.root(); }

 private:
  MDB_txn* transaction_;
  const LmdbLog::Databases& databases_;
  Position last_;
  Frontier frontier_;
};

}  // namespace pixledger::eventstore
