#include "eventstore/platform/disk_space.h"

#include <cstdint>
#include <sys/statvfs.h>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

// File systems keep a few blocks back that they count as free.
constexpr std::uint64_t kLeftoverBytes = 1 << 20;

}  // namespace

bool is_disk_full(const std::filesystem::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return false;
  const std::uint64_t blocks = ::geteuid() == 0 ? info.f_bfree : info.f_bavail;
  return blocks * info.f_frsize < kLeftoverBytes;
}

}  // namespace pixledger::eventstore
