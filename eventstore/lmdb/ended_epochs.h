#pragma once

#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::eventstore {

// The record of `meta` that a restore makes: epoch and position of each that has ended. Frozen.
inline constexpr std::string_view kEndedEpochs = "ended_epochs";
std::string encode_ended_epochs(const std::vector<EndedEpoch>& epochs);
// None where there is no record. Throws LogCorrupt.
std::vector<EndedEpoch> read_ended_epochs(MDB_txn* transaction, const LmdbLog::Databases& databases);

}  // namespace pixledger::eventstore
