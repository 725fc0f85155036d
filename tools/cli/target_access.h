#pragma once

#include <string>
#include <vector>

#include "base/crypto/age.h"
#include "base/process/command_line.h"

namespace pixledger::tools {

// How a command reads a target of `pixledger follow`.
struct TargetAccess {
  std::string s3_credentials;           // file; empty: from the environment
  std::vector<std::string> identities;  // files of age-keygen

  // Throws std::runtime_error, naming the file, if one is missing or has no key.
  std::vector<AgeIdentity> keys() const;
};

// Adds --identity and --s3-credentials. `access` must outlive the parsing.
void add_target_access(CommandLine& command, TargetAccess& access);

}  // namespace pixledger::tools
