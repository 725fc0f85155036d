#include "eventstore/postgres/node_keys.h"

#include "base/platform/data_directory.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::eventstore {

void refuse_other_keys(const SharedNode& node, const std::string& ledger_id,
                       const std::optional<Digest>& keyring) {
  const auto keys = DataDirectory{node.directory}.keys();
  if (!keyring || !std::filesystem::exists(keys)) return;
  if (equal_in_constant_time(bytes_of(*keyring), bytes_of(Keyring::open(keys).code_of_ledger(ledger_id))))
    return;
  throw KeyringError("the keys in " + keys.string() + " are not those of the ledger " + ledger_id +
                     " in the database " + node.uri.database +
                     ": copy keys/ of a node of that ledger, or name the ledger of these keys");
}

}  // namespace pixledger::eventstore
