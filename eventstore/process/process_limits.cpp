#include "eventstore/process/process_limits.h"

#include <algorithm>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace pixledger::eventstore {
namespace {

// The leak sanitizer looks into its own process as a debugger does.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMayBeLookedInto = true;
#else
constexpr bool kMayBeLookedInto = false;
#endif

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto wanted = std::min<rlim_t>(limit.rlim_max, kDescriptorsWanted);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // if not, the doctor says so
}

}  // namespace

void set_process_limits() {
  if (!kMayBeLookedInto) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  raise_descriptor_limit();
}

}  // namespace pixledger::eventstore
