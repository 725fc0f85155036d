#pragma once

#include <optional>

#include "eventstore/log/log.h"
#include "workers/providers/bank_directory.h"

namespace pixledger::workers {

// Where a payment lies that the bank of `asked` does not know: the first of the project's other connections
// in the same world whose bank shows it, as a charge of one may have been paid to another. Asks few of them;
// the next attempt goes on with others. nullopt: none of those does.
std::optional<BankAtHand> find_account_of(const domain::EndToEndId& payment, const BankAtHand& asked,
                                          const eventstore::Log& log, BankDirectory& banks,
                                          const BankTurn& turn, unsigned attempt);

}  // namespace pixledger::workers
