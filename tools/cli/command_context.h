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

// What every command of `pixledger` works with. One for the life of the process.
struct CommandContext {
  eventstore::LedgerOptions common;
  std::string actor;  // "operator-<user name>"
  bool json = false;  // one JSON value on stdout instead of text for people
  SystemClock clock;
  SystemEntropy entropy;
  std::function<int()> chosen;  // the command that the command line names; returns the exit code

  // To read, also where this process may not write: what an auditor gets is often a read-only copy. A log
  // needs no keys.
  std::unique_ptr<eventstore::LedgerLog> open_log() const;
  eventstore::Ledger open_to_read() const;
  // To write.
  std::unique_ptr<eventstore::LedgerLog> open_log_to_write() const;
  eventstore::Ledger open() const;
  // Makes the data directory, to be shared as that node if there is one; false when there is one already.
  bool create(const std::optional<eventstore::NodeFile>& to_share = {});
  // Makes the data directory where there is none.
  eventstore::Ledger open_or_create();
};

// "operator-<user name>" of who runs this: with sudo, of who called it. Call it before the process gives up
// root.
std::string operator_name();

// A command that runs `run` when the command line names it.
CommandLine add_command(CommandLine& parent, CommandContext& context, const std::string& name,
                        const std::string& help, std::function<int()> run);
// A command that only has commands.
CommandLine add_group(CommandLine& parent, const std::string& name, const std::string& help);
// --json
void add_json_option(CommandLine& command, CommandContext& context);

// Carries a command out, through the write door. nullopt when it was refused, with the reason on stderr: the
// exit code is then kExitNo. Throws when nothing could be written.
std::optional<eventstore::Completed> execute(CommandContext& context, eventstore::Ledger& ledger,
                                             domain::Command command);

// Tells on stderr why the answer is no; returns kExitNo.
int say_no(const std::string& reason);
int say_no(domain::Rejection reason);

}  // namespace pixledger::tools
