#pragma once

#include <optional>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/pg_session.h"

namespace pixledger::eventstore {

// Compares what the tables have of a ledger with what the copy has taken in of it: each event's leaf, its
// personal data, each commit and its root, and that the tables end with their head. PostgreSQL sends digests,
// so that little goes over the network, a page in each statement and none within a transaction; between two
// pages nothing is asked for as long as one took. Throws LogUnavailable, and what reading the copy throws.
std::optional<RowDifference> compare_rows(PgSession& session, const LmdbLog& copy,
                                          const RowComparisonOptions& options);

}  // namespace pixledger::eventstore
