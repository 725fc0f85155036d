#include "base/platform/process_limits.h"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pixledger {
namespace {

// The leak sanitizer attaches to its own process like a debugger.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMayBeLookedInto = true;
#else
constexpr bool kMayBeLookedInto = false;
#endif

}  // namespace

void set_process_limits() {
  if (!kMayBeLookedInto) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::signal(SIGXFSZ, SIG_IGN);                  // exceeding the file size limit becomes an error code
  raise_descriptor_limit(kDescriptorsWanted);  // the doctor reports failures
}

std::size_t raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  rlimit raised{.rlim_cur = wanted, .rlim_max = std::max<rlim_t>(limit.rlim_max, wanted)};
  // Only privileged processes may raise the hard limit.
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return raised.rlim_cur;
  raised = {.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted), .rlim_max = limit.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

namespace {

constexpr int kNicenessAfterServer = 10;
constexpr int kNicest = 19;
// From linux/ioprio.h, which Debian's headers lack.
constexpr int kIoPriorityOfProcess = 1;
constexpr int kIoPriorityIdle = 3 << 13;

}  // namespace

// Linux keeps both per thread.
void lower_priority(Priority priority) {
  const int niceness = priority == Priority::kIdle ? kNicest : kNicenessAfterServer;
  ::setpriority(PRIO_PROCESS, 0, std::max(niceness, ::getpriority(PRIO_PROCESS, 0)));
  if (priority == Priority::kIdle) ::syscall(SYS_ioprio_set, kIoPriorityOfProcess, 0, kIoPriorityIdle);
}

}  // namespace pixledger
