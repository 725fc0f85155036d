#include "base/process/process_limits.h"

#include <csignal>
#include <sys/prctl.h>

#include "base/platform/descriptor_limit.h"

namespace pixledger {
namespace {

// The leak sanitizer looks into its own process as a debugger does.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMayBeLookedInto = true;
#else
constexpr bool kMayBeLookedInto = false;
#endif

}  // namespace

void set_process_limits() {
  if (!kMayBeLookedInto) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::signal(SIGXFSZ, SIG_IGN);                  // a file that may not become larger is an error code
  raise_descriptor_limit(kDescriptorsWanted);  // if not, the doctor says so
}

}  // namespace pixledger
