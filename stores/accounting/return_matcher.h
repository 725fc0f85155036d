#pragma once

#include <vector>

#include "stores/accounting/ledger_payments.h"
#include "stores/accounting/reconciliation.h"
#include "stores/accounting/statement.h"

namespace pixledger::stores {

// A payment of the ledger, and whether the statement has it.
struct ReturnedPayment {
  const LedgerPayment& payment;
  bool is_in_statement;
};

// Adds the statement's returns and the ledger's to the result, matched in both directions.
void compare_returns_of(const std::vector<ReturnedPayment>& payments, const ReconcileQuestion& question,
                        const Statement& statement, Reconciliation& result);

}  // namespace pixledger::stores
