#include "base/platform/process_limits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>

using namespace pixledger;

namespace {

// Restores the test's own limits in the destructor.
struct LimitsRestored {
  LimitsRestored() { ::getrlimit(RLIMIT_NOFILE, &files); }
  ~LimitsRestored() {
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
  }
  rlimit files{};
  int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
};

}  // namespace

TEST_CASE("a program may open as many files as its hard limit allows, and cannot be traced") {
  const LimitsRestored before;
  const rlimit low{std::min<rlim_t>(before.files.rlim_max, 256), before.files.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  set_process_limits();
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  CHECK(now.rlim_cur == std::min<rlim_t>(before.files.rlim_max, kDescriptorsWanted));
  CHECK(now.rlim_max == before.files.rlim_max);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
#endif
}
