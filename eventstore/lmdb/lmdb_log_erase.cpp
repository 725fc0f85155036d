#include <algorithm>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/platform/signals.h"

// The one place where a ledger's records are removed for good: personal bytes, never an event.
namespace pixledger::eventstore {
namespace {

// In one write, so that others are not held up.
constexpr std::size_t kPositionsPerWrite = 1000;

}  // namespace

void LmdbLog::in_turn(const std::function<void(LmdbWrite&)>& work) {
  const HeldSignals signals;
  std::unique_ptr<LmdbWrite> write;
  {
    const WriteGate::Pass pass(gate());
    write = std::make_unique<LmdbWrite>(environment_);
  }
  work(*write);
}

void LmdbLog::remove_personal(const std::vector<Position>& positions) {
  for (std::size_t done = 0; done < positions.size(); done += kPositionsPerWrite) {
    const auto end = std::min(positions.size(), done + kPositionsPerWrite);
    in_turn([&](LmdbWrite& write) {
      for (auto i = done; i < end; ++i) {
        const auto key = big_endian(positions[i].value());
        MDB_val key_val = to_val(key);
        const int code = mdb_del(write.get(), databases_.personal, &key_val, nullptr);
        if (code != MDB_NOTFOUND) check_lmdb(code, "mdb_del");
      }
      write.commit();
    });
  }
}

}  // namespace pixledger::eventstore
