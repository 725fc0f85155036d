#pragma once

#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "eventstore/keys/keyring.h"
#include "workers/banks/api_pix/bank_access.h"

namespace pixledger::workers {

// How the bank behind a connection is spoken to, its secrets opened. `connection` is of the provider
// `api-pix`. Throws std::invalid_argument where this release does not know the bank or its ways, KeyringError
// where the secrets cannot be opened.
BankAccess bank_access_of(const domain::Connection& connection,
                          const domain::BankConfiguration& configuration, const eventstore::Keyring& keyring);

}  // namespace pixledger::workers
