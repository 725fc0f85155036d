#include "tools/cli/command_context.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "base/platform/faults.h"
#include "base/platform/signals.h"
#include "domain/decisions/rejection.h"

namespace pixledger::tools {
namespace {

bool is_user_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
  });
}

struct CompletedOf {
  const DataDirectory& data;

  eventstore::Completed operator()(eventstore::Completed completed) const { return completed; }
  eventstore::Completed operator()(const eventstore::KeyReused&) const {
    throw std::logic_error("a command of an operator has no idempotency key");
  }
  eventstore::Completed operator()(const eventstore::KeyInFlight&) const {
    throw std::logic_error("a command of an operator has no idempotency key");
  }
  eventstore::Completed operator()(const eventstore::Unavailable& unavailable) const {
    const auto& reason = unavailable.reason;
    const auto file = is_refusal(reason) ? " to " + (data.ledger() / "data.mdb").string() : "";
    throw std::runtime_error("nothing was written" + file + ": " + reason);
  }
  eventstore::Completed operator()(const eventstore::OutcomeUnknown& unknown) const {
    throw std::runtime_error("it is not known whether this was done, look before it is done again: " +
                             unknown.reason);
  }
};

// A node continues with its copy while PostgreSQL is unavailable; commands warn about that.
void tell_if_behind(const eventstore::Log& log) {
  try {
    log.catch_up();
  } catch (const eventstore::LogUnavailable& away) {
    std::cerr << "pixledger: this node's copy is looked at, which may lack what is newest: " << away.what()
              << "\n";
  }
}

}  // namespace

// Opening a ledger may write to it; see HeldSignals.
std::unique_ptr<eventstore::LedgerLog> CommandContext::open_log() const {
  const HeldSignals held;
  auto log = eventstore::Ledger::open_log_to_read(common.data, common.lmdb());
  tell_if_behind(*log);
  return log;
}

eventstore::Ledger CommandContext::open_to_read() const {
  const HeldSignals held;
  auto ledger = eventstore::Ledger::open_to_read(common.data, common.lmdb());
  tell_if_behind(*ledger.log);
  return ledger;
}

std::unique_ptr<eventstore::LedgerLog> CommandContext::open_log_to_write() const {
  const HeldSignals held;
  return eventstore::Ledger::open_log(common.data, common.lmdb());
}

eventstore::Ledger CommandContext::open() const {
  const HeldSignals held;
  auto ledger = eventstore::Ledger::open(common);
  tell_if_behind(*ledger.log);
  return ledger;
}

bool CommandContext::create(const std::optional<eventstore::NodeFile>& to_share) {
  const HeldSignals held;
  return eventstore::Ledger::create(common.data, entropy, clock, common.lmdb(), to_share);
}

eventstore::Ledger CommandContext::open_or_create() {
  create();
  return open();
}

std::string operator_name() {
  const char* caller = ::getuid() == 0 ? std::getenv("SUDO_USER") : nullptr;
  if (caller != nullptr && is_user_name(caller)) return std::string("operator-") + caller;
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && is_user_name(user->pw_name)) return std::string("operator-") + user->pw_name;
  return "operator-" + std::to_string(::getuid());
}

CommandLine add_command(CommandLine& parent, CommandContext& context, const std::string& name,
                        const std::string& help, std::function<int()> run) {
  return parent.add_command(
      name, help,
      [&context, run = std::move(run)] {
        // A command's own command is called before it.
        if (!context.chosen) context.chosen = run;
      },
      "Options of every command: pixledger --help");
}

CommandLine add_group(CommandLine& parent, const std::string& name, const std::string& help) {
  CommandLine group = parent.add_command(name, help);
  group.require_command();
  return group;
}

void add_json_option(CommandLine& command, CommandContext& context) {
  command.add_flag("--json", context.json, "One JSON value instead of text for people");
}

std::optional<eventstore::Completed> execute(CommandContext& context, eventstore::Ledger& ledger,
                                             domain::Command command) {
  const HeldSignals held;
  eventstore::Executor executor(*ledger.log, context.clock, context.entropy);
  auto result = executor.execute({.command = std::move(command),
                                  .actor = context.actor,
                                  .api_key = {},
                                  .request_id = {},
                                  .idempotency = {}});
  auto completed = std::visit(CompletedOf{context.common.data}, std::move(result));
  if (!completed.outcome.rejection) return completed;
  say_no(*completed.outcome.rejection);
  return std::nullopt;
}

int say_no(const std::string& reason) {
  std::cerr << "pixledger: " << reason << "\n";
  return kExitNo;
}

int say_no(domain::Rejection reason) { return say_no(std::string(domain::row_of(reason).told_operator)); }

}  // namespace pixledger::tools
