#pragma once

#include <stdexcept>

namespace pixledger::eventstore {

// Keys that are missing, readable by others, damaged, or not the ones something was sealed with. what()
// names the file and says what to do.
class KeyringError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pixledger::eventstore
