#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tests/support/servers/process.h"
#include "workers/banks/api_pix/bank_profile.h"

namespace pixledger::tests {

// The bank of tests/bank (its README tells what it can do), with Banco Central's document before it where
// that and what reads it are at hand. Ended with the object.
class BankProgram {
 public:
  // Throws std::runtime_error when it does not start.
  BankProgram();
  ~BankProgram();

  // Of a field of what it tells when it starts: "/client/certificate".
  std::string told(const std::string& pointer) const;
  // Whether the document stands before it: then end() tells what was against it.
  bool is_held_to_document() const;
  // What `client` needs to be served, as any bank's.
  workers::BankAccess access() const;
  // Its control API, as JSON; throws when it does not take the order.
  std::string drive(const std::string& method, const std::string& path, const std::string& body = "") const;

  // Ends it: what it says last, which names what was against the document. Empty: nothing was.
  std::string end();

 private:
  std::unique_ptr<Process> process_;
  std::string told_;
};

}  // namespace pixledger::tests
