#include <filesystem>
#include <iostream>
#include <memory>

#include "base/platform/json.h"
#include "eventstore/ledger_sharing.h"
#include "eventstore/postgres/share_mark.h"
#include "tools/commands/commands.h"
#include "tools/operations/share_ledger.h"

namespace pixledger::tools {
namespace {

struct InitOptions {
  std::string ledger_owner;
};

// Creates the ledger here, then in the database. Removes everything if it was rejected. If the database may
// have it, keeps the keys, which exist only here. False if a ledger exists here already.
bool create_shared(CommandContext& context, const ShareTarget& target) {
  const auto& data = context.common.data;
  eventstore::refuse_to_share(target.owner, target.node.uri);
  const bool is_directory_new = !std::filesystem::exists(data.root);
  if (!context.create(target.node)) return false;
  try {
    share_ledger(data, context.common.lmdb(), target);
    return true;
  } catch (...) {
    if (eventstore::find_unfinished_share(data)) throw;
    eventstore::Ledger::discard(data, context.common.lmdb());
    std::error_code holds_more;
    if (is_directory_new) std::filesystem::remove(data.root, holds_more);
    throw;
  }
}

int init(CommandContext& context, const InitOptions& options) {
  const bool is_shared = !context.common.ledger.empty();
  if (!is_shared && !options.ledger_owner.empty())
    throw UsageError("--ledger-owner needs --ledger, which names the database that the ledger goes to");
  // Refuses a ledger that cannot be used until migrate has finished.
  eventstore::refuse_unfinished_share(context.common.data);
  const bool is_made = is_shared ? create_shared(context, share_target(context.common, options.ledger_owner))
                                 : context.create();
  if (!is_made) return say_no("there is a ledger in " + context.common.data.root.string() + " already");
  const auto ledger = context.open();
  const std::string& id = ledger.log->identity().ledger_id;
  if (context.json) {
    std::cout << Json().begin_object().field("ledgerId", id).end_object().take_line();
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
                     "With --ledger: URI of another role, which may make a schema in that database");
  context.common.share_ledgers.emplace_back("init");
}

}  // namespace pixledger::tools
