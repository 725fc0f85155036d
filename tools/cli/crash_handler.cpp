#include "tools/cli/crash_handler.h"

#include <csignal>
#include <string_view>
#include <unistd.h>

#include "base/process/options.h"

namespace pixledger::tools {
namespace {

constexpr std::string_view kMessage =
    "pixledger: crashed, most likely over a damaged file of the data directory. Run pixledger verify, which "
    "says whether the ledger is sound, and what to do if not.\n";

// Calls nothing but what a signal's handler may.
extern "C" void end_as_fault(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(kExitFault);
}

}  // namespace

void end_crashes_as_faults() {
  for (const int crash : {SIGSEGV, SIGBUS, SIGABRT}) ::signal(crash, end_as_fault);
}

}  // namespace pixledger::tools
