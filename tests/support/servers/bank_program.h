#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tests/support/servers/process.h"
#include "workers/banks/api_pix/bank_profile.h"

namespace pixledger::tests {

// The bank of tests/bank (see its README) as a process, which ends with the object. If Banco Central's
// document and its validator are installed, they check the traffic.
class BankProgram {
 public:
  // Throws std::runtime_error if it does not start.
  BankProgram();
  ~BankProgram();

  // A field of the JSON that it prints at its start: "/client/certificate".
  std::string told(const std::string& pointer) const;
  // Whether traffic is checked against the document; then end() returns the violations.
  bool is_held_to_document() const;
  // The access of its client, as for any bank.
  workers::BankAccess access() const;
  // Calls its control API, with JSON. Throws if the bank refuses.
  std::string drive(const std::string& method, const std::string& path, const std::string& body = "") const;

  // Ends it. Returns its last output: the violations of the document, or "".
  std::string end();

 private:
  std::unique_ptr<Process> process_;
  std::string told_;
};

}  // namespace pixledger::tests
