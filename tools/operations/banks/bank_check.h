#pragma once

#include "tools/operations/banks/bank_session.h"
#include "tools/operations/banks/check_steps.h"

namespace pixledger::tools {

// Looks, step by step, at whether a bank can be worked with: TLS, the client's certificate, token and granted
// scopes, the webhook, reading the account, the clock, and a charge of 0.01 that is made, read and removed.
// Without a token nothing after it is tried.
void check_bank(BankSession& bank, CheckSteps& steps);

}  // namespace pixledger::tools
