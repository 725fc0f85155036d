#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tools/operations/banks/bank_session.h"

namespace pixledger::tools {

// Checks a bank step by step: TLS, client certificate, token and granted scopes, webhook, account access,
// clock, and a charge of 0.01 that is created, read and removed. Without a token the later steps are skipped.
void check_bank(BankSession& bank, CheckSteps& steps);

// A code to be paid.
struct PaidCheckCode {
  std::string kind;  // "dynamic", "static"
  domain::Cents amount;
  std::string text;
};

struct PaidCheckTerms {
  std::chrono::seconds wait;  // for both payments
  std::function<void(const PaidCheckCode& code)> show;
  // Waits that long; false if the operator stops.
  std::function<bool(std::chrono::milliseconds)> rest;
};

// The end-to-end proof. Shows a dynamic and a static code of 0.01 each (0.02 in test environments, of which
// one never returns 0.01). Waits until the bank reports both payments, and returns both. The ledger records
// each payment as one that matches no charge and is returned, before the bank is asked for that. So the
// worker finishes an interrupted run.
void check_paid(BankSession& bank, eventstore::Ledger& ledger, const PaidCheckTerms& terms,
                CheckSteps& steps);

}  // namespace pixledger::tools
