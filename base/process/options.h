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

// The common command line of all executables. An option's value comes from the first of: the flag, the
// environment variable (`--map-size` → PIXLEDGER_MAP_SIZE, lists comma-separated), the configuration file,
// the default. Programs in /usr/bin read /etc/pixledger/pixledger.toml unless another file is named; an empty
// PIXLEDGER_CONFIG names no file.
namespace pixledger {

// Exit codes of executables.
constexpr int kExitDone = 0;
constexpr int kExitNo = 1;  // a negative result: a verification failed, nothing found, refused
constexpr int kExitUsage = 2;
constexpr int kExitFault = 3;

inline constexpr std::size_t kMapBytes = std::size_t{1} << 40;  // address space, not disk

// Programs that open a ledger use LedgerOptions (eventstore/ledger_options.h), built from these.
struct CommonOptions {
  DataDirectory data{"data"};
  std::size_t map_bytes = kMapBytes;
  std::string ledger;  // URI of the shared ledger; empty: as recorded in the data directory
  std::string node;    // likewise
  bool allow_plain_postgres = false;
  std::string on_lost_commits = "stop";
  LogFormat log_format = LogFormat::kJson;
  std::filesystem::path config;                     // empty: none
  std::vector<std::string> configuration_problems;  // in the file, "FILE:LINE:COLUMN: …"
  OptionPlaces configured_at;                       // places of the file's values that apply
  std::string explains_configuration;               // the command that runs despite them
  std::string logs_faults;                          // the command that logs like services do
};

// Adds --data, --map-size, --ledger, --node, --allow-plain-postgres, --on-lost-commits, --log-format,
// --config, --version and --help to `line`. Subcommands accept them before or after their name: call this
// before adding those. `options` must outlive the parsing.
void add_common_options(CommandLine& line, CommonOptions& options);

// The same without the first six, for a program that has no data directory.
void add_options_without_data(CommandLine& line, CommonOptions& options);
// Only those six.
void add_data_options(CommandLine& line, CommonOptions& options);

// Parses the value as a domain type. Throws UsageError with the type's rule, if possible the one for this
// text: "--pix-key must be …".
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
// The same; nullopt for an empty text.
template <class Value>
std::optional<Value> parse_given(std::string_view flag, std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(parse_option<Value>(flag, text));
}

// How a fatal fault is reported: services log it, commands print one plain line.
enum class ProgramKind { kService, kCommand };

// The rest of main: parses, runs `body` (as the data directory's owner if started by root) and returns the
// exit code. Reports errors on stderr: UsageError and bad options → 2, any other exception → 3. Unwritten
// output also means 3, except after ReaderGone, which ends the body quietly (output.h). Files that the body
// creates are accessible to their user only.
int run_main(CommandLine& line, CommonOptions& options, int argc, const char* const* argv, ProgramKind kind,
             const std::function<int()>& body);

}  // namespace pixledger
