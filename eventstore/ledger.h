#pragma once

#include <memory>

#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/data_directory.h"
#include "eventstore/platform/entropy.h"

namespace pixledger::eventstore {

// The ledger of a data directory: its log and the keys that open what is sealed in it.
struct Ledger {
  DataDirectory directory;
  std::unique_ptr<LmdbLog> log;
  Keyring keyring;

  // Makes an empty data directory (keys first, so that a ledger never exists without them), durably and all
  // or nothing: what a killed process left unfinished does not count. False when there is one already, even
  // if another process made it a moment ago. Throws std::runtime_error where read models or workers' state
  // say that there has been a ledger.
  static bool create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                     const LmdbOptions& options = {});
  // Throws KeyringError also when the keys are not those that the ledger was made with.
  static Ledger open(const DataDirectory& directory, const LmdbOptions& options = {});
};

}  // namespace pixledger::eventstore
