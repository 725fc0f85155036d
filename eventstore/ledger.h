#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/log/log_import.h"
#include "eventstore/postgres/node_file.h"

namespace pixledger::eventstore {

class Cluster;
struct LedgerOptions;
class LmdbEnvironment;

// An open ledger: the log of a data directory, and the keys that open its sealed data. The directory may be a
// node's. Only this file, ledger_sharing.h and ledger_copies.h know which kind of log it is.
struct Ledger {
  DataDirectory directory;
  std::unique_ptr<LedgerLog> log;
  Keyring keyring;

  // --- making one ---

  static bool exists(const DataDirectory& directory);
  // Returns files and directories that exist only beside a ledger, where the ledger itself is missing. Empty
  // if there are none.
  static std::vector<std::filesystem::path> traces(const DataDirectory& directory);

  // Throws std::runtime_error if there is no ledger, saying what is missing and what to do.
  static void refuse_missing(const DataDirectory& directory);

  // Creates a ledger in an empty data directory, durably and all or nothing: leftovers of a killed process do
  // not count. Returns false if there is a ledger already, even if another process has just made it. Throws
  // std::runtime_error, naming what is missing, if there are traces of a lost ledger. `to_share`: the node
  // that the ledger will be shared as; no process opens it before.
  static bool create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                     const LmdbOptions& options = {}, const std::optional<NodeFile>& to_share = {});
  // Undoes create() and removes nothing else. Call it only before anything was written or the ledger was
  // shared.
  static void discard(const DataDirectory& directory, const LmdbOptions& options);
  // Makes a new log, in a data directory that has none.
  static std::unique_ptr<LogImport> import_log(const DataDirectory& directory, const LmdbOptions& options);

  // --- opening one ---

  // Each throws std::runtime_error if there is no ledger (see refuse_missing), or a newer release wrote it.

  // Also throws KeyringError if the keys are not those that the ledger was made with.
  static Ledger open(const DataDirectory& directory, const LmdbOptions& options = {});
  // Opens the ledger by a program's options, including --on-lost-commits.
  static Ledger open(const LedgerOptions& options);
  // Needs no keys.
  static std::unique_ptr<LedgerLog> open_log(const DataDirectory& directory, const LmdbOptions& options = {});
  // The same, but read-only if this process may not write the ledger. That suffices while no process writes
  // it.
  static Ledger open_to_read(const DataDirectory& directory, const LmdbOptions& options);
  static std::unique_ptr<LedgerLog> open_log_to_read(const DataDirectory& directory,
                                                     const LmdbOptions& options);

  // Whether this process has permission to write the ledger.
  static bool may_be_written(const DataDirectory& directory);

  // For monitoring the log's readers and size; null if the log has no environment.
  const LmdbEnvironment* environment() const;

  // The machines that share the ledger; null if it is not shared, or was opened only to read.
  Cluster* cluster() const;
  static const Cluster* cluster_of(const LedgerLog& log);
};

// Throws KeyringError when a ledger's log is bound to another keyring.
void check_keyring(const DataDirectory& directory, const LedgerLog& log, const Keyring& keyring);

}  // namespace pixledger::eventstore
