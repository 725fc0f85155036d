#include <algorithm>

#include "base/platform/signals.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_scrub.h"

// The only place that removes a ledger's records for good: personal bytes, never an event.
namespace pixledger::eventstore {
namespace {

// A limit for each write, so that other writers wait only briefly.
constexpr std::size_t kPositionsPerWrite = 1000;

template <class Work>
void as_unavailable_when_full(const Work& work) {
  try {
    work();
  } catch (const LmdbError& error) {
    if (error.code() != MDB_MAP_FULL) throw;
    throw LogUnavailable(std::string("the ledger is full (") + error.what() + ")");
  }
}

}  // namespace

void LmdbLog::in_turn(const std::function<void(LmdbWrite&)>& work) {
  const HeldSignals signals;
  std::unique_ptr<LmdbWrite> write;
  {
    const WriteGate::Pass pass(gate());
    write = begin_exclusive();
  }
  work(*write);
}

void LmdbLog::remove_personal(const std::vector<Position>& positions) {
  std::uint64_t transaction = 0;
  const auto remove = [&](std::size_t begin, std::size_t end) {
    in_turn([&](LmdbWrite& write) {
      transaction = mdb_txn_id(write.get());
      for (auto i = begin; i < end; ++i) {
        const auto key = big_endian(positions[i].value());
        MDB_val key_val = to_val(key);
        const int code = mdb_del(write.get(), databases_.personal, &key_val, nullptr);
        if (code != MDB_NOTFOUND) check_lmdb(code, "mdb_del");
      }
      write.commit();
    });
  };
  as_unavailable_when_full([&] {
    for (std::size_t done = 0; done < positions.size(); done += kPositionsPerWrite)
      remove(done, std::min(positions.size(), done + kPositionsPerWrite));
  });
  if (!keeper_) return;
  // LMDB leaves out a commit that changes nothing.
  make_durable(std::min(transaction, last_commit()));
  // The journal may still have them, up to the newest checkpoint. No segment is begun meanwhile.
  in_turn([&](LmdbWrite&) { journal_->erase_before(keeper_->newest().place); });
}

void LmdbLog::scrub_buffers() {
  as_unavailable_when_full([&] { scrub_page_buffers([this](const auto& work) { in_turn(work); }); });
}

void LmdbLog::scrub(std::chrono::milliseconds patience) {
  const InWrite in_write = [this](const auto& work) { in_turn(work); };
  as_unavailable_when_full([&] {
    scrub_page_buffers(in_write);
    scrub_unused_bytes(
        environment_, in_write, patience, [] {}, [this] { make_durable(last_commit()); });
  });
}

}  // namespace pixledger::eventstore
