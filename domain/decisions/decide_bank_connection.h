#pragma once

#include "domain/aggregates/bank_connection.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about connections to banks, which stand in two streams, and about what all connections have
// in common. Pure; guards in documented order.
namespace pixledger::domain {

// `there` is what the new connection's stream holds: nothing, or the id was minted twice.
Decision decide(const Project* project, const BankConnection* there, const AddBankConnection&,
                const Context&);
// `bank` only where the command has a configuration.
Decision decide(const Project* project, const BankConnection* bank, const ChangeConnection&, const Context&);
Decision decide(const BankConnection* bank, const NoteCallback&, const Context&);

}  // namespace pixledger::domain
