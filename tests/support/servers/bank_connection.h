#pragma once

#include <string>
#include <vector>

#include "tests/support/servers/bank_program.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {

// A project with a connection to the test bank, made as by an operator. Its alias is `banco`.
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
  // Runs `pixledger connection COMMAND…` for it, trusting the bank's certificate.
  ProcessResult run(const Words& command, const Words& more = {}, const std::string& alias = "banco") const;
  // The command's arguments, without the authority to trust.
  Words naming(const Words& command, const std::string& alias = "banco") const;
  // The webhook that the bank has registered for the client's key, or "".
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
