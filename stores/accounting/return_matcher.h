#pragma once

#include <vector>

#include "stores/accounting/reconciliation.h"

namespace pixledger::stores {

struct ReturnedPayment {
  const LedgerPayment& payment;
  bool is_in_statement;
};

// The statement's returns against those of these payments, in both directions, into `result`.
void match_returns(const ReconcileQuestion& question, const Statement& statement,
                   const std::vector<ReturnedPayment>& payments, Reconciliation& result);

}  // namespace pixledger::stores
