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

// The ledger of a data directory, or of the node that the directory is: its log and the keys that open what
// is sealed in it. This and ledger_sharing.h and ledger_copies.h alone know which kind of log it is.
struct Ledger {
  DataDirectory directory;
  std::unique_ptr<LedgerLog> log;
  Keyring keyring;

  // --- making one ---

  static bool exists(const DataDirectory& directory);
  // What says, where there is no ledger, that there has been one: files and directories that stand beside
  // one only. Empty where nothing does.
  static std::vector<std::filesystem::path> traces(const DataDirectory& directory);

  // Throws std::runtime_error where there is none, saying what is missing and what to do.
  static void refuse_missing(const DataDirectory& directory);

  // Makes an empty data directory, durably and all or nothing: what a killed process left unfinished does not
  // count. False when there is one already, even if another process made it a moment ago. Throws
  // std::runtime_error, naming what is missing, where there are traces of a ledger that was lost. `to_share`:
  // the node that it is to be shared as, before which nobody opens it.
  static bool create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                     const LmdbOptions& options = {}, const std::optional<NodeFile>& to_share = {});
  // Takes back what create() has made, and nothing else, before anything was written to it, and it was
  // shared.
  static void discard(const DataDirectory& directory, const LmdbOptions& options);
  // The ledger's log made anew, in a data directory that has none.
  static std::unique_ptr<LogImport> import_log(const DataDirectory& directory, const LmdbOptions& options);

  // --- opening one ---

  // Each throws std::runtime_error when there is no ledger (see refuse_missing), or one that a newer release
  // wrote.

  // Throws KeyringError also when the keys are not those that the ledger was made with.
  static Ledger open(const DataDirectory& directory, const LmdbOptions& options = {});
  // Opens the ledger by a program's options, including --on-lost-commits.
  static Ledger open(const LedgerOptions& options);
  // Needs no keys.
  static std::unique_ptr<LedgerLog> open_log(const DataDirectory& directory, const LmdbOptions& options = {});
  // The same where this process may not write, which is enough to read what nobody writes. Where it may, it
  // can.
  static Ledger open_to_read(const DataDirectory& directory, const LmdbOptions& options);
  static std::unique_ptr<LedgerLog> open_log_to_read(const DataDirectory& directory,
                                                     const LmdbOptions& options);

  // Whether this process may write what is there.
  static bool may_be_written(const DataDirectory& directory);

  // That of the log, for who watches its readers and its size; null when the log lies in none.
  const LmdbEnvironment* environment() const;

  // The machines that share it; null where it is of this one alone, or was opened only to read.
  Cluster* cluster() const;
  static const Cluster* cluster_of(const LedgerLog& log);
};

// Throws KeyringError when a ledger's log is bound to another keyring.
void check_keyring(const DataDirectory& directory, const LedgerLog& log, const Keyring& keyring);

}  // namespace pixledger::eventstore
