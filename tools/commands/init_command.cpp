#include <iostream>
#include <memory>
#include <optional>

#include "eventstore/platform/json.h"
#include "tools/commands/commands.h"
#include "tools/operations/share_ledger.h"

namespace pixledger::tools {
namespace {

struct InitOptions {
  std::string ledger_owner;
};

int init(CommandContext& context, const InitOptions& options) {
  std::optional<ShareTarget> target;
  if (context.common.ledger.empty() && !options.ledger_owner.empty())
    throw eventstore::UsageError(
        "--ledger-owner needs --ledger, which names the database that the ledger goes to");
  if (!context.common.ledger.empty()) {
    target = share_target(context.common, options.ledger_owner);
    eventstore::Ledger::refuse_to_share(target->owner);
  }
  if (!context.create())
    return say_no("there is a ledger in " + context.common.data.root.string() + " already");
  if (target) {
    try {
      share_ledger(context.common.data, context.common.lmdb(), *target);
    } catch (const std::exception& error) {
      throw std::runtime_error(std::string(error.what()) + "; the ledger that was made is in " +
                               context.common.data.root.string() +
                               ": bring it there with pixledger migrate, or remove the directory");
    }
  }
  const auto ledger = context.open();
  const std::string& id = ledger.log->identity().ledger_id;
  if (context.json) {
    std::cout << eventstore::Json().begin_object().field("ledgerId", id).end_object().take_line();
    return kExitDone;
  }
  std::cout << "An empty ledger, " << id << ", is in " << context.common.data.root.string() << ".\n"
            << "Keep a copy of " << context.common.data.keys().string()
            << " in a safe place: without it sealed secrets are lost.\n";
  return kExitDone;
}

}  // namespace

void add_init_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<InitOptions>();
  CommandLine command = add_command(program, context, "init", "Make an empty data directory",
                                    [&context, options] { return init(context, *options); });
  add_json_option(command, context);
  command.add_option("--ledger-owner", options->ledger_owner,
                     "With --ledger: URI of a role that may make a schema in that database");
  context.common.share_ledgers.emplace_back("init");
}

}  // namespace pixledger::tools
