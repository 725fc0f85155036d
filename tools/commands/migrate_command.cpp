#include <iostream>
#include <memory>

#include "base/platform/json.h"
#include "eventstore/ledger_sharing.h"
#include "eventstore/postgres/share_mark.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/share_ledger.h"

namespace pixledger::tools {
namespace {

struct MigrateOptions {
  std::string ledger_owner;
  bool abandons = false;
};

// The ledger to be copied into a database, or already being copied.
eventstore::LogIdentity identity_here(CommandContext& context) {
  const auto& data = context.common.data;
  // Nodes must not create keys, since each would create a different one.
  if (eventstore::Ledger::exists(data))
    eventstore::Keyring::ensure_signing_key(data.keys(), context.entropy, context.clock.now());
  return eventstore::open_to_share(data, context.common.lmdb()).log->identity();
}

int abandon(CommandContext& context, const ShareTarget& target) {
  const auto& data = context.common.data;
  give_up_sharing(data, context.common.lmdb(), target);
  const auto identity = context.open_log()->identity();
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("ledgerId", identity.ledger_id)
                     .field("epoch", identity.epoch)
                     .field("abandoned", true)
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  std::cout << "The database " << target.node.uri.database << " does not have the ledger "
            << identity.ledger_id << ", which is that of " << data.root.string()
            << " alone again. Start the programs here as before.\n";
  return kExitDone;
}

int migrate(CommandContext& context, const MigrateOptions& options) {
  const auto target = share_target(context.common, options.ledger_owner);
  const auto& data = context.common.data;
  const bool is_begun = eventstore::find_unfinished_share(data).has_value();
  if (!is_begun && eventstore::read_node_file(data))
    return say_no(data.root.string() + " is a node of a shared ledger already");
  if (!is_begun && options.abandons)
    return say_no("no ledger is on its way from " + data.root.string() + " into a database");
  if (options.abandons) return abandon(context, target);
  const auto identity = identity_here(context);
  const auto trees = share_ledger(data, context.common.lmdb(), target);
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("ledgerId", identity.ledger_id)
                     .field("epoch", identity.epoch)
                     .field("node", target.node.name.text)
                     .field("lastPosition", trees.size.value())
                     .field("rootHash", to_hex(trees.here))
                     .field("rootHashThere", to_hex(trees.there))
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  std::cout << "The ledger is in the database " << target.node.uri.database << " now, and "
            << data.root.string() << " is its node " << target.node.name.text << ".\n\n";
  print_facts(std::cout, {{"ledger", identity.ledger_id},
                          {"epoch", std::to_string(identity.epoch)},
                          {"events", std::to_string(trees.size.value())},
                          {"root hash here", to_hex(trees.here)},
                          {"root hash there", to_hex(trees.there)}});
  std::cout
      << "\nStart the programs here as before; the directory remembers where its ledger is. For another "
         "machine copy\n"
      << data.keys().string() << " there, and name --ledger and a --node of its own.\n";
  return kExitDone;
}

}  // namespace

void add_migrate_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<MigrateOptions>();
  CommandLine command =
      add_command(program, context, "migrate", "Let several machines share the ledger of this one",
                  [&context, options] { return migrate(context, *options); });
  add_json_option(command, context);
  command.add_option("--ledger-owner", options->ledger_owner,
                     "With --ledger: URI of another role, which may make a schema in that database");
  command.add_flag("--abandon", options->abandons,
                   "Give up one that was interrupted, where the database does not have the ledger");
  context.common.share_ledgers.emplace_back("migrate");
}

}  // namespace pixledger::tools
