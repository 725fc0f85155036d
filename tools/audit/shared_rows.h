#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "eventstore/log/cluster.h"
#include "eventstore/log/ledger_log.h"
#include "tools/audit/finding.h"

namespace pixledger::tools {

// What PostgreSQL has otherwise than this node's copy, which was found consistent: `log` is the node's, and
// `cluster` the same one. Personal data that an erasure takes away meanwhile are no finding. Throws
// LogUnavailable where PostgreSQL does not tell.
std::optional<Finding> compare_shared_rows(
    const eventstore::LedgerLog& log, const eventstore::Cluster& cluster,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace pixledger::tools
