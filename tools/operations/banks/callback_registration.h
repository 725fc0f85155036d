#pragma once

#include <optional>
#include <string>

#include "tools/operations/banks/bank_session.h"

// Where a bank calls back: telling it, asking it, and taking that back. The bank's word is the truth, and the
// ledger notes it; whatever is lost in between, each can be done again. No message holds a secret.
namespace pixledger::tools {

// What one of these came to. `problem` is empty where it is done; else it says what is known, and what to do.
struct CallbackOutcome {
  std::string problem;
  bool done() const { return problem.empty(); }
};

// Seals a fresh secret, tells the bank `address/secret` (see callback_address) and notes the address. Where
// the bank refuses, the secret that was is sealed again, since the bank goes on calling with it.
CallbackOutcome register_callback(BankSession& bank, eventstore::Ledger& ledger, const std::string& address);

struct ShownCallback {
  std::optional<std::string> at_bank;  // masked; nullopt: the bank has none
  std::optional<std::string> noted;    // masked; nullopt: the ledger has none
  bool agree = false;                  // secret included
  std::string problem;                 // not empty: the bank could not be asked
};
ShownCallback show_callback(BankSession& bank);

// Takes it away at the bank, where there is one, and notes that.
CallbackOutcome remove_callback(BankSession& bank, eventstore::Ledger& ledger);

}  // namespace pixledger::tools
