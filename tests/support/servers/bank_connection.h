#pragma once

#include <string>
#include <vector>

#include "tests/support/servers/bank_program.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {

// A project with a connection to the bank for tests, as operators make it: its alias is `banco`.
class BankConnection {
 public:
  using Words = std::vector<std::string>;

  BankConnection();

  // Adds another connection to the same account, with or without the client's certificate.
  void add(const std::string& alias, bool with_certificate) const {
    add(alias, with_certificate, "live", "generic");
  }
  void add(const std::string& alias, bool with_certificate, const std::string& environment,
           const std::string& psp) const;
  // `pixledger connection COMMAND…` for it, which trusts the bank.
  ProcessResult run(const Words& command, const Words& more = {}, const std::string& alias = "banco") const;
  // Everything but whom to trust.
  Words naming(const Words& command, const std::string& alias = "banco") const;
  // What the bank has registered for the client's key; empty: nothing.
  std::string webhook() const;
  void fault(const std::string& fault) const { bank.drive("POST", "/faults", fault); }
  void set(const std::string& settings) const { bank.drive("PATCH", "/settings", settings); }

  BankProgram bank;
  PixledgerCommand pixledger;
  std::string project;

 private:
  std::string secret_file_;
};

}  // namespace pixledger::tests
