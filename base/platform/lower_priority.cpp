#include "base/platform/lower_priority.h"

#include <algorithm>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pixledger {
namespace {

constexpr int kNicenessAfterServer = 10;
constexpr int kNicest = 19;
// linux/ioprio.h, which Debian's headers do not have.
constexpr int kIoPriorityOfProcess = 1;
constexpr int kIoPriorityIdle = 3 << 13;

}  // namespace

// Linux keeps both by thread.
void lower_priority(Priority priority) {
  const int niceness = priority == Priority::kIdle ? kNicest : kNicenessAfterServer;
  ::setpriority(PRIO_PROCESS, 0, std::max(niceness, ::getpriority(PRIO_PROCESS, 0)));
  if (priority == Priority::kIdle) ::syscall(SYS_ioprio_set, kIoPriorityOfProcess, 0, kIoPriorityIdle);
}

}  // namespace pixledger
