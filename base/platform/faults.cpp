#include "base/platform/faults.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace pixledger {
namespace {

struct Refusal {
  int code;
  std::string_view text;
};

constexpr std::array kRefusals{
    Refusal{ENOSPC, "no space left on the disk: make room"},
    Refusal{EDQUOT, "the disk quota is used up: make room, or raise the quota"},
    Refusal{EROFS, "the file system is read-only: the kernel's log says why, mount it for writing"},
    Refusal{EIO, "the disk reports an I/O error: see the kernel's log"},
    Refusal{EMFILE, "too many open files: raise the limit (LimitNOFILE, ulimit -n)"},
    Refusal{ENFILE, "too many open files on this machine: raise fs.file-max"},
    Refusal{ENOMEM, "no memory left: give the machine or the service more"}};

constexpr std::string_view kMayNotGrow = "a file may not become larger";

// File systems reserve a few blocks that they report as free.
constexpr std::uint64_t kLeftoverBytes = 1 << 20;

bool is_disk_full(const std::filesystem::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return false;
  const std::uint64_t blocks = ::geteuid() == 0 ? info.f_bfree : info.f_bavail;
  return blocks * info.f_frsize < kLeftoverBytes;
}

// This process's limit; nullopt if unlimited.
std::optional<rlim_t> file_size_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::string describe_file_size_limit() {
  const auto limit = file_size_limit();
  std::string text(kMayNotGrow);
  if (!limit) return text + ": the file system has a limit of its own, use another one";
  return text + " than the file size limit (ulimit -f) of " + std::to_string(*limit) +
         " bytes: raise the limit (LimitFSIZE, ulimit -f)";
}

// The kernel carries out a write up to the limit.
bool is_at_limit(const std::filesystem::path& file) {
  const auto limit = file_size_limit();
  struct stat status {};
  return limit && ::stat(file.c_str(), &status) == 0 && static_cast<rlim_t>(status.st_size) >= *limit;
}

}  // namespace

std::optional<std::string> describe_refusal(int code) {
  if (code == EFBIG) return describe_file_size_limit();
  for (const auto& refusal : kRefusals)
    if (refusal.code == code) return std::string(refusal.text);
  return std::nullopt;
}

bool is_refusal(std::string_view text) {
  return text == kMapIsFull || text.starts_with(kMayNotGrow) ||
         std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](const Refusal& refusal) { return refusal.text == text; });
}

std::string text_of_system_error(const std::system_error& error) {
  std::string text = error.what();
  const auto words = describe_refusal(error.code().default_error_condition().value());
  if (!words) return text;
  const auto name = error.code().message();
  if (const auto at = text.rfind(name); at != std::string::npos) return text.replace(at, name.size(), *words);
  return text + ": " + *words;
}

int cause_of_short_write(const std::filesystem::path& file) {
  if (is_at_limit(file)) return EFBIG;
  return is_disk_full(file) ? ENOSPC : EIO;
}

}  // namespace pixledger
