#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/clock_and_entropy.h"
#include "domain/decisions/command.h"
#include "domain/decisions/rejection.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"

namespace pixledger::tools {

// Shared state of all commands of `pixledger`. One per process.
struct CommandContext {
  eventstore::LedgerOptions common;
  std::string actor;  // "operator-<user name>"
  bool json = false;  // one JSON value on stdout instead of text for people
  SystemClock clock;
  SystemEntropy entropy;
  std::function<int()> chosen;  // the selected command; returns the exit code

  // Opens for reading, even without write permission: auditors often get a read-only copy. A log needs no
  // keys.
  std::unique_ptr<eventstore::LedgerLog> open_log() const;
  eventstore::Ledger open_to_read() const;
  // Opens for writing.
  std::unique_ptr<eventstore::LedgerLog> open_log_to_write() const;
  eventstore::Ledger open() const;
  // Creates the data directory, as that node of a shared ledger if given; false if it exists already.
  bool create(const std::optional<eventstore::NodeFile>& to_share = {});
  // Creates the data directory if it is missing.
  eventstore::Ledger open_or_create();
};

// "operator-<user name>" of the user, under sudo of its caller. Call it before the process drops root.
std::string operator_name();

// Adds a command that calls `run` if selected.
CommandLine add_command(CommandLine& parent, CommandContext& context, const std::string& name,
                        const std::string& help, std::function<int()> run);
// Adds a command that only contains commands.
CommandLine add_group(CommandLine& parent, const std::string& name, const std::string& help);
// --json
void add_json_option(CommandLine& command, CommandContext& context);

// Executes a command on the ledger. Nullopt if it was rejected: prints the reason on stderr; the exit code is
// then kExitNo. Throws if nothing could be written.
std::optional<eventstore::Completed> execute(CommandContext& context, eventstore::Ledger& ledger,
                                             domain::Command command);

// Prints the reason on stderr; returns kExitNo.
int say_no(const std::string& reason);
int say_no(domain::Rejection reason);

}  // namespace pixledger::tools
