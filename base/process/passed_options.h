#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/process/command_line.h"

namespace pixledger {

// The options of programs that a command starts: it takes them all and passes on what it was given.
class PassedOptions {
 public:
  // Declares for `command` what `program` has and the command has not yet. Both outlive this.
  void take(CommandLine& command, CommandLine& program);

  // What the command was given of the options that were taken and `program` has, as arguments for it. Throws
  // UsageError where the program would not take them.
  std::vector<std::string> arguments_for(CommandLine& program) const;

 private:
  std::map<std::string, CLI::Option*> taken_;  // by name, "--listen"
};

}  // namespace pixledger
