#include <iostream>

#include "base/platform/json.h"
#include "base/platform/signals.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

int rotate_secrets(CommandContext& context) {
  const auto keys = context.common.data.keys();
  {
    const auto ledger = context.open();  // reports faults of the keys before they are changed
    const HeldSignals held;
    eventstore::Keyring::rotate_master_key(keys, context.entropy);
    eventstore::check_keyring(ledger.directory, *ledger.log, eventstore::Keyring::open(keys));
  }
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("rotated", true)
                     .field("masterKey", (keys / "master.key").string())
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  std::cout
      << "There is a new master key in " << (keys / "master.key").string()
      << ", and the keyring is wrapped with it.\n\n"
      << "Nothing that was sealed has changed, and what runs goes on. A copy of the old master key no longer "
         "opens this\nkeyring, only a copy of the keyring that was made with it. Now copy "
      << keys.string()
      << " to where you keep it,\nand destroy older copies if the old master key has become "
         "known.\n";
  if (eventstore::node_of(context.common.data))
    std::cout << "\nThe other nodes have keys/ of their own, which go on to be opened by the master key that "
                 "they have. Run this on\neach of them, too; their programs go on.\n";
  return kExitDone;
}

}  // namespace

void add_secrets_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "secrets", "The keys of the data directory");
  CommandLine command = add_command(group, context, "rotate", "New master key; wraps the keyring anew",
                                    [&context] { return rotate_secrets(context); });
  add_json_option(command, context);
}

}  // namespace pixledger::tools
