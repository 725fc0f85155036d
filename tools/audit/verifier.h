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
  kMeaning,    // also the events' content: times, streams, legality, names, idempotency
};

struct VerifyOptions {
  VerificationDepth depth = VerificationDepth::kMeaning;
  // An older tree head of this ledger, which the current tree must continue.
  std::optional<eventstore::Checkpoint> against{};
  // Requires `against`. Reads only what came after it, and the streams that go on after it, if the stored
  // tree leads to its root. If it does not, reads everything to find out why.
  bool only_newer = false;
  // Held while a customer's personal data is being removed: data still present then is not a finding.
  std::filesystem::path erasing_lock{};
  // Called periodically: events read, events in all.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct Verification {
  std::optional<Finding> finding;  // nullopt: no fault found
  std::uint64_t events = 0;
  std::uint64_t trusted = 0;   // the first events, which the counts below leave out; 0: all were read
  std::uint64_t streams = 0;   // that were read; 0 if events were not decoded
  std::uint64_t claims = 0;    // of those streams; 0 if events were not decoded
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t erased = 0;    // events whose personal data is gone
  Timestamp newest;            // time of the newest event; unset if events were not decoded
  Digest root{};               // of the tree over all events
};

// Reads the whole ledger as of the call, while others may write, and checks that it is consistent. Proves
// consistency, not authenticity: with write access to the whole ledger one can make another consistent one. A
// comparison with a checkpoint stored elsewhere detects that.
Verification verify_log(const eventstore::LedgerLog& log, const VerifyOptions& options);

// Checks the content of the ledger's streams only, without hashes, tree and other records.
Verification verify_streams(const eventstore::LedgerLog& log, const VerifyOptions& options);

// Compares PostgreSQL with this node's copy, which was found consistent, from the event after a position on.
// `log` is the node's, `cluster` is the same ledger's. Personal data that an erasure removes meanwhile is not
// a finding. Throws LogUnavailable if PostgreSQL cannot be read.
std::optional<Finding> compare_shared_rows(
    const eventstore::LedgerLog& log, const eventstore::Cluster& cluster, Position after,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace pixledger::tools
