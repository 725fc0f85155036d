#include "eventstore/lmdb/event_appender.h"

#include "eventstore/lmdb/lmdb_log_reads.h"

// All that an event adds has a key of its own and is never overwritten. Leaf and tree record go to the end of
// their databases. The index entry and the names must be new: a version or name that is taken fails the
// write. The tree record needs the roots of the complete subtrees so far, at most 64 hashes: they are read
// once a write and carried from event to event.
namespace pixledger::eventstore {
namespace {

class TreeInWrite final : public TreeRecords {
 public:
  TreeInWrite(MDB_txn* transaction, MDB_dbi tree) : transaction_(transaction), tree_(tree) {}
  std::string_view record(std::uint64_t position) const override {
    const auto stored = lmdb_get(transaction_, tree_, big_endian(position));
    if (!stored || stored->size() != tree_record_length(position))
      throw LogCorrupt("the tree record of position " + std::to_string(position) + " is missing or damaged");
    return *stored;
  }

 private:
  MDB_txn* transaction_;
  MDB_dbi tree_;
};

}  // namespace

// The frontier is read from the tree inside the write, since other processes append too.
EventAppender::EventAppender(MDB_txn* transaction, const LmdbLog::Databases& databases, Position head)
    : transaction_(transaction),
      databases_(databases),
      last_(head),
      frontier_(head.value(), TreeInWrite(transaction, databases.tree)) {}

void EventAppender::append(const AppendedEvent& event) {
  const auto key = big_endian(last_.next().value());
  lmdb_put(transaction_, databases_.events, key, event.leaf, MDB_APPEND);
  if (!event.personal.empty())
    lmdb_put(transaction_, databases_.personal, key, event.personal, MDB_NOOVERWRITE);
  lmdb_put(transaction_, databases_.streams, stream_key(event.stream, event.version), key, MDB_NOOVERWRITE);
  for (const auto& claim : event.claims)
    lmdb_put(transaction_, databases_.claims, claim.text(), event.stream.text(), MDB_NOOVERWRITE);
  lmdb_put(transaction_, databases_.tree, key, frontier_.append(leaf_hash(event.leaf)), MDB_APPEND);
  last_ = last_.next();
}

}  // namespace pixledger::eventstore
