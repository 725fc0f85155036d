#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/command_line.h"

namespace CLI {
class Config;
}  // namespace CLI

// The configuration file that all programs share: TOML 1.0. A key outside any table is an option of any
// program, and counts for the one that runs where it, or its command in use, has it; a table is a command of
// `pixledger`, with options of that command alone. The environment wins over the file, flags over both.
namespace pixledger {

// `--map-size` → PIXLEDGER_MAP_SIZE
std::string environment_name(std::string_view option);

// Of the options whose value is the file's: where that stands, "FILE:LINE:COLUMN", by their names.
using OptionPlaces = std::map<std::string, std::string>;

// Where the value stands in the file that a usage error is about, "--listen must be …": that of the first
// option it names which has a place; "" when none has.
std::string place_of(std::string_view usage, const OptionPlaces& places);
// The error as the file's: "FILE:LINE:COLUMN: listen must be …".
std::string located(std::string_view place, std::string_view usage);

// What CLI11 asks for the file's values. What is wrong is added to `problems`, "FILE:LINE:COLUMN: …", and has
// no effect: what does not parse as TOML, keys and tables that no program knows, values of the wrong kind,
// and values that their option does not take. `places` gets those of all others that count. `file` is read
// when the file is.
std::shared_ptr<CLI::Config> configuration_reader(CLI::App& app, const std::filesystem::path& file,
                                                  std::vector<std::string>& problems, OptionPlaces& places);

// Sets the options of a service from the environment and the file, for who looks at them without starting it.
struct ReadOptions {
  std::vector<std::string> problems;  // with either
  OptionPlaces places;
};
ReadOptions read_options(CommandLine& service, const std::filesystem::path& file);

// What a program declares: its commands, and the keys that it or any command has and that are neither common
// to all programs nor a service's (see pixledger_keys.h). Sorted, each once.
std::vector<std::string> declared_tables(CommandLine& line);
std::vector<std::string> declared_keys(CommandLine& line);

}  // namespace pixledger
