#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// The path of an executable of this build.
std::filesystem::path built_program(const std::string& name);

// The `pixledger` command on a data directory of its own.
class PixledgerCommand {
 public:
  std::filesystem::path directory() const { return home_.path(); }
  std::filesystem::path data() const { return home_.path() / "data"; }

  // Adds the arguments that name the data directory.
  std::vector<std::string> arguments(std::vector<std::string> arguments) const;
  ProcessResult run(const std::vector<std::string>& arguments) const;
  // Fails the test unless the command succeeds. Returns its stdout.
  std::string done(const std::vector<std::string>& arguments) const;

  // Runs `project create`. Returns its JSON.
  std::string create_project(const std::string& name = "Loja Demo") const;

 private:
  TemporaryDirectory home_;
};

// The value at a JSON pointer ("/data/id") as text, numbers and null included. Fails the test if it is
// missing.
std::string json_at(const std::string& json, const std::string& pointer);
std::vector<std::string> lines_of(const std::string& text);

}  // namespace pixledger::tests
