#pragma once

#include <optional>
#include <string>

#include "base/platform/sha256.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Throws KeyringError, naming both, when the node's keys are not those that the ledger is bound to. A node
// without keys, or a ledger that is bound to none, is for others to judge.
void refuse_other_keys(const SharedNode& node, const std::string& ledger_id,
                       const std::optional<Digest>& keyring);

}  // namespace pixledger::eventstore
