#pragma once

#include <functional>
#include <optional>

#include "eventstore/ledger.h"

// How several machines come to share a ledger: it is published into a database of PostgreSQL.
namespace pixledger::eventstore {

class PgClient;

// Throws what share_ledger() would throw for the database alone. Nothing is made.
void refuse_to_share(const LedgerUri& owner, const LedgerUri& servers);

// Opens the ledger as it lies in the directory, whether sharing has begun or not. Throws as Ledger::open()
// does, also for a node's copy.
Ledger open_to_share(const DataDirectory& directory, const LmdbOptions& options);

struct SharedTree {
  Position size;
  Digest root;
};

// Publishes a ledger that is new, or that no process has open, into the database of `node`. The directory
// becomes that node. No process can open it before end_sharing(), even if this process is killed. A second
// call with the same node completes the work.
// `owner`: the URI of a role that may make a schema there.
// `was_begun`: an earlier call has begun, so the directory stays marked even if this call fails.
// `within`: runs in the same transaction.
// Returns the published tree. Throws LogUnavailable and LedgerMismatch when this call has changed nothing,
// and LogOutcomeUnknown.
SharedTree share_ledger(const DataDirectory& directory, const LmdbOptions& options, const NodeFile& node,
                        const LedgerUri& owner, bool was_begun = false,
                        const std::function<void(PgClient&)>& within = {});
void end_sharing(const DataDirectory& directory);

// Makes the ledger the directory's own again where sharing has begun and the database does not have the
// ledger. Throws LedgerMismatch where the database has it, and LogUnavailable.
void give_up_sharing(const DataDirectory& directory, const LmdbOptions& options, const LedgerUri& owner);

// The Merkle root of the first `size` events in the database, for a caller that has just published them;
// nullopt: no commit there ends with them. Throws LogUnavailable.
std::optional<Digest> shared_root(const LedgerUri& owner, Position size);

}  // namespace pixledger::eventstore
