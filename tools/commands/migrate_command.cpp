#include <iostream>
#include <memory>

#include "eventstore/platform/json.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"
#include "tools/operations/share_ledger.h"

namespace pixledger::tools {
namespace {

int migrate(CommandContext& context, const std::string& ledger_owner) {
  const auto target = share_target(context.common, ledger_owner);
  const auto& data = context.common.data;
  if (eventstore::read_node_file(data))
    return say_no(data.root.string() + " is a node of a shared ledger already");
  eventstore::Ledger::refuse_missing(data);
  // Nodes do not make keys, as each would make another.
  eventstore::Keyring::ensure_signing_key(data.keys(), context.entropy, context.clock.now());
  const auto identity = context.open().log->identity();
  const auto trees = share_ledger(data, context.common.lmdb(), target);
  if (context.json) {
    std::cout << eventstore::Json()
                     .begin_object()
                     .field("ledgerId", identity.ledger_id)
                     .field("epoch", identity.epoch)
                     .field("node", target.node.name.text)
                     .field("lastPosition", trees.size.value())
                     .field("rootHash", eventstore::to_hex(trees.here))
                     .field("rootHashThere", eventstore::to_hex(trees.there))
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  std::cout << "The ledger is in the database " << target.node.uri.database << " now, and "
            << data.root.string() << " is its node " << target.node.name.text << ".\n\n";
  print_facts(std::cout, {{"ledger", identity.ledger_id},
                          {"epoch", std::to_string(identity.epoch)},
                          {"events", std::to_string(trees.size.value())},
                          {"root hash here", eventstore::to_hex(trees.here)},
                          {"root hash there", eventstore::to_hex(trees.there)}});
  std::cout
      << "\nStart the programs here as before; the directory remembers where its ledger is. For another "
         "machine copy\n"
      << data.keys().string() << " there, and name --ledger and a --node of its own.\n";
  return kExitDone;
}

}  // namespace

void add_migrate_command(CommandLine& program, CommandContext& context) {
  const auto ledger_owner = std::make_shared<std::string>();
  CommandLine command =
      add_command(program, context, "migrate", "Let several machines share the ledger of this one",
                  [&context, ledger_owner] { return migrate(context, *ledger_owner); });
  add_json_option(command, context);
  command.add_option("--ledger-owner", *ledger_owner,
                     "With --ledger: URI of a role that may make a schema in that database");
  context.common.share_ledgers.emplace_back("migrate");
}

}  // namespace pixledger::tools
