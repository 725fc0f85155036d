#include <filesystem>
#include <string_view>

#include "http/server_main.h"
#include "tools/cli/crash_handler.h"
#include "tools/cli/whole_errors.h"
#include "tools/commands/commands.h"
#include "workers/common/mains.h"

namespace {

using namespace pixledger;

// Links to this program: most of what each of them needs, the others need, too.
struct Service {
  std::string_view link;
  int (*main)(int argc, char** argv);
};
constexpr Service kServices[]{
    {"pixledger-server", http::server_main},          {"pixledger-webhooks", workers::webhooks_main},
    {"pixledger-emails", workers::emails_main},       {"pixledger-expiry", workers::expiry_main},
    {"pixledger-providers", workers::providers_main},
};

int command_main(int argc, char** argv) {
  tools::end_crashes_as_faults();
  tools::CommandContext context;
  context.actor = tools::operator_name();
  auto program = tools::declare_program(context);
  return eventstore::run_on_ledger(program, context.common, argc, argv, ProgramKind::kCommand,
                                   [&context] { return tools::run_with_whole_errors(context.chosen); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto name = std::filesystem::path(argv[0]).filename();
  for (const auto& service : kServices)
    if (name == service.link) return service.main(argc, argv);
  return command_main(argc, argv);
}
