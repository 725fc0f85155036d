#include "eventstore/lmdb/settled_reader.h"

#include <atomic>

namespace pixledger::eventstore {
namespace {

void end(MDB_txn*& transaction) {
  if (transaction) mdb_txn_abort(transaction);
  transaction = nullptr;
}

int renew(MDB_env* environment, MDB_txn*& transaction) {
  if (!transaction) return mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction);
  const int code = mdb_txn_renew(transaction);
  if (code != MDB_SUCCESS) end(transaction);
  return code;
}

}  // namespace

SettledReaders::~SettledReaders() { end(witness_); }

int SettledReaders::take(MDB_txn*& reader) {
  while (true) {
    int code = renew(environment_, reader);
    if (code != MDB_SUCCESS) return code;
    // The published number must be read after the meta page.
    std::atomic_thread_fence(std::memory_order_acquire);
    std::size_t published = 0;
    code = read_published(published);
    if (code != MDB_SUCCESS) {
      end(reader);
      return code;
    }
    if (mdb_txn_id(reader) == published) return MDB_SUCCESS;
    mdb_txn_reset(reader);
  }
}

int SettledReaders::read_published(std::size_t& number) {
  const std::lock_guard lock(mutex_);
  const int code = renew(environment_, witness_);
  if (code != MDB_SUCCESS) return code;
  number = mdb_txn_id(witness_);
  mdb_txn_reset(witness_);
  return code;
}

}  // namespace pixledger::eventstore
