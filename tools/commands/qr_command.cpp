#include <iostream>
#include <unistd.h>

#include "tools/cli/qr_text.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {

void add_qr_command(CommandLine& program, CommandContext& context) {
  const auto text = std::make_shared<std::string>();
  CommandLine command = add_command(program, context, "qr", "Show a text as a QR code", [text] {
    print_qr(std::cout, *text, ::isatty(STDOUT_FILENO) != 0);
    return kExitDone;
  });
  command.add_option("TEXT", *text, "What the code says, such as a charge's pixCode").required();
}

}  // namespace pixledger::tools
