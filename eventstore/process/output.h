#pragma once

#include <stdexcept>

// What a command prints on stdout.
namespace pixledger::eventstore {

// Nobody reads stdout any more, as when `head` has seen enough: a reason to end, but no fault.
class ReaderGone : public std::runtime_error {
 public:
  ReaderGone() : std::runtime_error("nobody reads the output any more") {}
};

// A pipe whose reader has gone is only noticed when it is written to, or asked about.
bool somebody_reads_output();

// Throws ReaderGone, or std::runtime_error when the output could not be written for another reason.
void flush_output();

}  // namespace pixledger::eventstore
