#include "eventstore/lmdb/ended_epochs.h"

#include "eventstore/lmdb/lmdb_log_reads.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kNumberBytes = 8;

}  // namespace

std::string encode_ended_epochs(const std::vector<EndedEpoch>& epochs) {
  std::string bytes;
  for (const auto& [epoch, last] : epochs) bytes += big_endian(epoch) + big_endian(last.value());
  return bytes;
}

std::vector<EndedEpoch> read_ended_epochs(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  auto stored = lmdb_get(transaction, databases.meta, kEndedEpochs).value_or("");
  if (stored.size() % (2 * kNumberBytes) != 0)
    throw LogCorrupt("the ledger's record of ended epochs is damaged");
  std::vector<EndedEpoch> epochs;
  for (; !stored.empty(); stored.remove_prefix(2 * kNumberBytes))
    epochs.push_back({static_cast<std::uint32_t>(from_big_endian(stored.substr(0, kNumberBytes))),
                      to_position(stored.substr(kNumberBytes, kNumberBytes))});
  return epochs;
}

}  // namespace pixledger::eventstore
