#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/platform/sha256.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/proof/checkpoint.h"
#include "tools/audit/finding.h"

namespace pixledger::tools {

enum class VerificationDepth {
  kStructure,  // positions, personal digests, leaves, tree, meta
  kMeaning,    // and what the events say: times, streams, legality, names, idempotency
};

struct VerifyOptions {
  VerificationDepth depth = VerificationDepth::kMeaning;
  // An older tree head of this ledger; what is there now must continue it.
  std::optional<eventstore::Checkpoint> against{};
  // Held while a customer's personal data are being removed: those that are still there are no finding then.
  std::filesystem::path erasing_lock{};
  // Told from time to time: events read, of how many.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct Verification {
  std::optional<Finding> finding;  // none: all that was looked at is as it should be
  std::uint64_t events = 0;
  std::uint64_t streams = 0;   // 0 when events were not decoded
  std::uint64_t claims = 0;    // likewise
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t erased = 0;    // events whose personal data is gone
  Timestamp newest;            // of the newest event; likewise
  Digest root{};               // of the tree over all events
};

// Reads the whole ledger as it is at the call, while others may go on writing, and checks that nothing in it
// contradicts anything else. Proves consistency, not authenticity: whoever can write all of the ledger can
// make another consistent one, unless it is compared with a checkpoint that was kept elsewhere.
Verification verify_log(const eventstore::LedgerLog& log, const VerifyOptions& options);

// Checks what the ledger's streams say, and nothing else: hashes, tree and records besides are not looked at.
Verification verify_streams(const eventstore::LedgerLog& log, const VerifyOptions& options);

// What PostgreSQL has otherwise than this node's copy, which was found consistent: `log` is the node's, and
// `cluster` the same one. Personal data that an erasure takes away meanwhile are no finding. Throws
// LogUnavailable where PostgreSQL does not tell.
std::optional<Finding> compare_shared_rows(
    const eventstore::LedgerLog& log, const eventstore::Cluster& cluster,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace pixledger::tools
