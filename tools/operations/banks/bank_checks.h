#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tools/operations/banks/bank_session.h"

namespace pixledger::tools {

// Looks, step by step, at whether a bank can be worked with: TLS, the client's certificate, token and granted
// scopes, the webhook, reading the account, the clock, and a charge of 0.01 that is made, read and removed.
// Without a token nothing after it is tried.
void check_bank(BankSession& bank, CheckSteps& steps);

// A code that is to be paid.
struct PaidCheckCode {
  std::string kind;  // "dynamic", "static"
  domain::Cents amount;
  std::string text;
};

struct PaidCheckTerms {
  std::chrono::seconds wait;  // for both payments
  std::function<void(const PaidCheckCode& code)> show;
  // Waits so long; false when the operator wants an end.
  std::function<bool(std::chrono::milliseconds)> rest;
};

// The proof from end to end: a dynamic and a static code of 0.01 each (0.02 in test environments, of which
// one never sends 0.01 back) are shown, both payments are waited for as the bank reports them, and both are
// sent back. The ledger has each payment as one that fits no charge and goes back, before the bank is asked
// for that: whatever is interrupted here, the worker finishes.
void check_paid(BankSession& bank, eventstore::Ledger& ledger, const PaidCheckTerms& terms,
                CheckSteps& steps);

}  // namespace pixledger::tools
