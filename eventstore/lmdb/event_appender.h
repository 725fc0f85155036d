#pragma once

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/log_import.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// Appends events within one write: the event, its personal data, its stream's index, its names and its part
// of the tree. Nothing else adds to them. The caller writes the head's record.
class EventAppender {
 public:
  // `head`: the position of the newest event.
  EventAppender(MDB_txn* transaction, const LmdbLog::Databases& databases, Position head);

  // Throws LmdbError, with MDB_KEYEXIST if the stream has this version or another stream has one of the
  // names.
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
