#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "eventstore/clock.h"
#include "eventstore/entropy.h"
#include "eventstore/keyring.h"
#include "eventstore/lmdb_log.h"

namespace pixledger::eventstore {

// Where everything is in one data directory.
struct DataDirectory {
  std::filesystem::path root;

  std::filesystem::path ledger() const { return root / "ledger"; }
  std::filesystem::path keys() const { return root / "keys"; }
  std::filesystem::path views() const { return root / "views"; }
  std::filesystem::path worker(std::string_view name) const { return root / "workers" / name; }
  // Held while somebody removes a customer's personal data.
  std::filesystem::path erasing_lock() const { return root / "erasing"; }
  bool exists() const { return std::filesystem::exists(ledger()); }
};

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
