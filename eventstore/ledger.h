#pragma once

#include <filesystem>
#include <functional>
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
class PgSession;

// The ledger of a data directory, or of the node that the directory is: its log and the keys that open what
// is sealed in it. The only place that knows which kind of log it is.
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

  // --- sharing one with other machines ---

  // Throws what share() would for the database alone, before anything is made.
  static void refuse_to_share(const LedgerUri& owner, const LedgerUri& servers);
  // The ledger as it lies, to share it, begun or not. Throws as open() does, also for a node's copy.
  static Ledger open_to_share(const DataDirectory& directory, const LmdbOptions& options);
  // Puts a ledger that was made a moment ago, or that nobody has open, into the database of `node`, for
  // several machines to share; the directory becomes that node of it. Nobody opens it until end_sharing(),
  // whatever stops this; once more with the same node, it does what is left to be done. `owner`: the URI of a
  // role that may make a schema there. `was_begun`: by an earlier call, so that it stays begun whatever
  // becomes of this one. `within`: what goes along in the same transaction. Throws LogUnavailable and
  // LedgerMismatch when nothing was done now, and LogOutcomeUnknown. Returns what went.
  struct SharedTree {
    Position size;
    Digest root;
  };
  static SharedTree share(const DataDirectory& directory, const LmdbOptions& options, const NodeFile& node,
                          const LedgerUri& owner, bool was_begun = false,
                          const std::function<void(PgSession&)>& within = {});
  static void end_sharing(const DataDirectory& directory);
  // Where that was begun, and the database does not have the ledger, it is this directory's own again. Throws
  // LedgerMismatch where it has, and LogUnavailable.
  static void give_up_sharing(const DataDirectory& directory, const LmdbOptions& options,
                              const LedgerUri& owner);
  // The Merkle root of the first `size` events that the database has, for who has just put them there;
  // nullopt: none of its commits ended with them. Throws LogUnavailable.
  static std::optional<Digest> shared_root(const LedgerUri& owner, Position size);

  // --- a node's copies ---

  // What was noted of a node's copy that was found to be bad, and is still there: whatever opens it fetches
  // another. nullopt: nothing, or it is no node.
  static std::optional<std::string> mark_on_copy(const DataDirectory& directory);
  // Copies that a node has kept beside its own, see postgres/kept_copy.h.
  static std::vector<std::filesystem::path> kept_copies(const DataDirectory& directory);
  // Opens a node's copy that is there and would be opened, and no other in its place. Throws what LMDB's log
  // does where it is damaged.
  static void try_copy(const DataDirectory& directory, LmdbOptions options);

  // A node's copy as it lies there, to read, whatever was noted of it and although the machine was started
  // again since: nobody but who then looks at all of it can tell what it is worth. PostgreSQL is asked
  // nothing. Null where there is none.
  static std::unique_ptr<LedgerLog> open_copy_alone(const DataDirectory& directory, LmdbOptions options);

  // What is to be checked of a log that was opened so, whatever that is: of a node its copy, which ends no
  // process that finds it damaged.
  static const LedgerLog& as_it_lies(const LedgerLog& log);
};

// Throws KeyringError when a ledger's log is bound to another keyring.
void check_keyring(const DataDirectory& directory, const LedgerLog& log, const Keyring& keyring);

}  // namespace pixledger::eventstore
