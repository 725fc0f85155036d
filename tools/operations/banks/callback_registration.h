#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "tools/operations/banks/bank_session.h"

// Callback registration at a bank: `BASE/<connection>/<secret>`. The ledger stores the URL without its
// secret, which is never shown. The bank's answer is authoritative, and the ledger records it. Each operation
// can be repeated after an interruption. No message contains a secret.
namespace pixledger::tools {

// BASE/<connection>, from a scheme, host, port and prefix. Throws UsageError that names --url.
std::string callback_address(const std::string& base, const domain::ConnectionId& connection,
                             bool allow_http);

// The URL for the bank.
std::string with_secret(std::string_view address, std::string_view secret);
// The address without its secret: "https://pix.example.com/c…/…". For other URLs, without the last part.
std::string masked(std::string_view url);

// The result of an operation. `problem` is empty on success; otherwise it says what is known, and the remedy.
struct CallbackOutcome {
  std::string problem;
  bool done() const { return problem.empty(); }
};

// Seals a new secret, registers `address/secret` (see callback_address) at the bank and records the address.
// If the bank rejects it, seals the previous secret again, because the bank keeps using that one.
CallbackOutcome register_callback(BankSession& bank, eventstore::Ledger& ledger, const std::string& address);

struct ShownCallback {
  std::optional<std::string> at_bank;  // masked; nullopt: the bank has none
  std::optional<std::string> noted;    // masked; nullopt: the ledger has none
  bool agree = false;                  // secret included
  std::string problem;                 // not empty: the bank could not be queried
};
ShownCallback show_callback(BankSession& bank);

// Removes it at the bank, if registered, and records that.
CallbackOutcome remove_callback(BankSession& bank, eventstore::Ledger& ledger);

}  // namespace pixledger::tools
