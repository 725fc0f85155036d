#include <csignal>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include "base/process/options.h"
#include "http/server_main.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/commands/commands.h"
#include "workers/common/mains.h"

namespace {

using namespace pixledger;

// Links to this program. The services share most of their code, so they are one program.
struct Service {
  std::string_view link;
  int (*main)(int argc, char** argv);
};
constexpr Service kServices[]{
    {"pixledger-server", http::server_main},          {"pixledger-webhooks", workers::webhooks_main},
    {"pixledger-emails", workers::emails_main},       {"pixledger-expiry", workers::expiry_main},
    {"pixledger-providers", workers::providers_main}, {"pixledger-follow", workers::follow_main},
};

constexpr std::string_view kCrashed =
    "pixledger: crashed, most likely over a damaged file of the data directory. Run pixledger verify, which "
    "says whether the ledger is sound, and what to do if not.\n";

// Calls only async-signal-safe functions.
extern "C" void end_as_fault(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kCrashed.data(), kCrashed.size());
  ::_exit(kExitFault);
}

// LMDB trusts its pages, so a damaged file may crash the process that reads it. From here on, such a crash
// prints an error on stderr and exits with the code of a fault; earlier output may be truncated.
void end_crashes_as_faults() {
  for (const int crash : {SIGSEGV, SIGBUS, SIGABRT}) ::signal(crash, end_as_fault);
}

int command_main(int argc, char** argv) {
  end_crashes_as_faults();
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
