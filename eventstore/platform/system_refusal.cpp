#include "eventstore/platform/system_refusal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

struct Refusal {
  int code;
  std::string_view text;
};

constexpr std::array kRefusals{
    Refusal{ENOSPC, "no space left on the disk: make room"},
    Refusal{EDQUOT, "the disk quota is used up: make room, or raise the quota"},
    Refusal{EFBIG, "a file may not become larger: raise the limit (LimitFSIZE, ulimit -f)"},
    Refusal{EROFS, "the file system is read-only: the kernel's log says why, mount it for writing"},
    Refusal{EIO, "the disk reports an I/O error: see the kernel's log"},
    Refusal{EMFILE, "too many open files: raise the limit (LimitNOFILE, ulimit -n)"},
    Refusal{ENFILE, "too many open files on this machine: raise fs.file-max"},
    Refusal{ENOMEM, "no memory left: give the machine or the service more"}};

// File systems keep a few blocks back that they count as free.
constexpr std::uint64_t kLeftoverBytes = 1 << 20;

bool is_disk_full(const std::filesystem::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return false;
  const std::uint64_t blocks = ::geteuid() == 0 ? info.f_bfree : info.f_bavail;
  return blocks * info.f_frsize < kLeftoverBytes;
}

// A write that goes beyond the limit is carried out up to it.
bool is_at_limit(const std::filesystem::path& file) {
  rlimit limit{};
  struct stat status {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || ::stat(file.c_str(), &status) != 0) return false;
  return limit.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(status.st_size) >= limit.rlim_cur;
}

}  // namespace

std::optional<std::string> describe_refusal(int code) {
  for (const auto& refusal : kRefusals)
    if (refusal.code == code) return std::string(refusal.text);
  return std::nullopt;
}

bool is_refusal(std::string_view text) {
  return text == kMapIsFull || std::any_of(kRefusals.begin(), kRefusals.end(),
                                           [&](const Refusal& refusal) { return refusal.text == text; });
}

int cause_of_short_write(const std::filesystem::path& file) {
  if (is_at_limit(file)) return EFBIG;
  return is_disk_full(file) ? ENOSPC : EIO;
}

}  // namespace pixledger::eventstore
