#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "tools/operations/banks/bank_session.h"

// Where a bank calls back: `BASE/<connection>/<secret>`. The ledger notes it without its secret, and nobody
// is shown that. Telling the bank, asking it, and taking that back: the bank's word is the truth, and the
// ledger notes it; whatever is lost in between, each can be done again. No message holds a secret.
namespace pixledger::tools {

// BASE/<connection>, of a scheme, host, port and prefix. Throws UsageError that names --url.
std::string callback_address(const std::string& base, const domain::ConnectionId& connection,
                             bool allow_http);

// What the bank is told.
std::string with_secret(std::string_view address, std::string_view secret);
// The address with its secret left out: "https://pix.example.com/c…/…". Of any URL whatever its last part.
std::string masked(std::string_view url);

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
