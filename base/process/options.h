#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/data_directory.h"
#include "base/process/command_line.h"
#include "base/process/configuration.h"
#include "base/process/logging.h"

// The command line that all executables share. An option has one value, from the first of these that names
// it: the flag, the environment variable (`--map-size` → PIXLEDGER_MAP_SIZE, lists comma-separated), the
// configuration file, the default. Programs in /usr/bin read /etc/pixledger/pixledger.toml unless another
// file is named, if only by an empty PIXLEDGER_CONFIG.
namespace pixledger {

// What executables end with.
constexpr int kExitDone = 0;
constexpr int kExitNo = 1;  // the answer is no: a verification failed, nothing found, refused
constexpr int kExitUsage = 2;
constexpr int kExitFault = 3;

inline constexpr std::size_t kMapBytes = std::size_t{1} << 40;  // address space, not disk

// A program that opens a ledger has LedgerOptions (eventstore/ledger_options.h), which can use these.
struct CommonOptions {
  DataDirectory data{"data"};
  std::size_t map_bytes = kMapBytes;
  std::string ledger;  // URI of the one that machines share; empty: as the data directory remembers
  std::string node;    // likewise
  bool allow_plain_postgres = false;
  std::string on_lost_commits = "stop";
  LogFormat log_format = LogFormat::kJson;
  std::filesystem::path config;                     // empty: none
  std::vector<std::string> configuration_problems;  // of it, "FILE:LINE:COLUMN: …"
  OptionPlaces configured_at;                       // of what counts of it
  std::string explains_configuration;               // the command that runs in spite of them
  std::string logs_faults;                          // the command that logs, as services do
};

// --data, --map-size, --ledger, --node, --allow-plain-postgres, --on-lost-commits, --log-format, --config,
// --version and --help, for `line` and, before or after their name, for its subcommands: call it before
// adding those. `options` outlives the parsing.
void add_common_options(CommandLine& line, CommonOptions& options);

// The same for a program that has no data directory, without the first six.
void add_options_without_data(CommandLine& line, CommonOptions& options);
// Those six alone.
void add_data_options(CommandLine& line, CommonOptions& options);

// The value as a domain type, or a UsageError with the type's rule, if it can the one for this text:
// "--pix-key must be …".
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
template <class Value>
Value parse_option(std::string_view flag, std::string_view text) {
  auto value = Value::parse(text);
  if (value) return *std::move(value);
  std::string_view rule = Value::kRule;
  if constexpr (requires { Value::rule_for(text); }) rule = Value::rule_for(text);
  throw UsageError(std::string(flag) + " " + std::string(rule));
}

// Decides how a fault that ends the program is told: services log it, commands print one plain line.
enum class ProgramKind { kService, kCommand };

// The rest of main: parses, runs `body` (run as root, as the data directory's owner) and returns the exit
// code. Writes what went wrong to stderr: UsageError and bad options → 2, any other exception → 3. A body
// whose output could not be written ends with 3 as well, unless just nobody reads it any more: that ends the
// body quietly (output.h). Files that the body makes are its user's alone.
int run_main(CommandLine& line, CommonOptions& options, int argc, const char* const* argv, ProgramKind kind,
             const std::function<int()>& body);

}  // namespace pixledger
