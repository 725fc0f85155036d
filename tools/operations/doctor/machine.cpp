#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/process/open_to_others.h"
#include "eventstore/ledger.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::uint64_t kGibibyte = 1 << 30;
constexpr std::uint64_t kDiskProblemBytes = kGibibyte;
constexpr std::uint64_t kDiskWarningBytes = 10 * kGibibyte;
constexpr std::uint64_t kMemoryWarningBytes = 512 * kMebibyte;
// For the server's connections, databases and files.
constexpr rlim_t kOpenFilesMin = 4096;

struct FileSystem {
  unsigned long magic;
  const char* name;
  Severity severity;
  const char* advice;
};
constexpr const char* kUseLocal = "move the data directory to a local disk";
constexpr FileSystem kFileSystems[] = {
    {0x6969, "NFS", Severity::kProblem, kUseLocal},
    {0xff534d42, "CIFS", Severity::kProblem, kUseLocal},
    {0xfe534d42, "SMB", Severity::kProblem, kUseLocal},
    {0x65735546, "FUSE", Severity::kWarning, kUseLocal},
    {0x01021994, "tmpfs", Severity::kWarning, "it is lost when the machine stops: use a disk"},
    {0x794c7630, "overlayfs", Severity::kWarning, "it goes with its container: use a volume"},
    {0xef53, "ext4", Severity::kOk, ""},
    {0x58465342, "XFS", Severity::kOk, ""},
    {0x9123683e, "Btrfs", Severity::kOk, ""},
    {0x2fc12fc1, "ZFS", Severity::kOk, ""}};

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes / kMebibyte) + " MiB"; }

void examine_file_system(const std::filesystem::path& root, Diagnoses& found) {
  struct statfs info {};
  if (::statfs(root.c_str(), &info) != 0) return;
  const auto magic = static_cast<unsigned long>(info.f_type) & 0xffffffffUL;
  const auto* known = std::find_if(std::begin(kFileSystems), std::end(kFileSystems),
                                   [magic](const FileSystem& one) { return one.magic == magic; });
  if (known == std::end(kFileSystems)) {
    found.push_back({"file system", Severity::kOk, "of type " + std::to_string(magic), ""});
  } else {
    found.push_back({"file system", known->severity, known->name, known->advice});
  }
}

// The first part of the data directory that this process may not write.
std::optional<std::filesystem::path> find_unwritable(const DataDirectory& data) {
  for (const auto& directory : {data.root, data.ledger(), data.views(), data.workers(), data.outbox()}) {
    if (std::filesystem::exists(directory) && ::access(directory.c_str(), W_OK) != 0) return directory;
  }
  if (eventstore::Ledger::exists(data) && !eventstore::Ledger::may_be_written(data)) return data.ledger();
  return std::nullopt;
}

void examine_writing(const DataDirectory& data, Diagnoses& found) {
  const auto refused = find_unwritable(data);
  if (!refused) {
    found.push_back({"data directory", Severity::kOk, data.root.string(), ""});
    return;
  }
  struct statvfs info {};
  const bool is_read_only = ::statvfs(refused->c_str(), &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
  if (is_read_only)
    found.push_back({"data directory", Severity::kProblem, refused->string() + " is mounted read-only",
                     "enough to audit it; to run services mount it for writing, and see the kernel's log "
                     "(dmesg): after an error of the disk it mounts read-only by itself"});
  else
    found.push_back({"data directory", Severity::kProblem,
                     refused->string() + " may not be written by user " + std::to_string(::geteuid()),
                     "enough to audit it; to run services do so as its owner, with mode 0700 for "
                     "directories and 0600 for files"});
}

void examine_disk(const std::filesystem::path& root, Diagnoses& found) {
  struct statvfs info {};
  if (::statvfs(root.c_str(), &info) != 0) return;
  const auto left = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  const auto size = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(info.f_blocks) * info.f_frsize);
  const auto percent = left * 100 / size;
  auto severity = Severity::kOk;
  if (percent < 10 || left < kDiskWarningBytes) severity = Severity::kWarning;
  if (percent < 2 || left < kDiskProblemBytes) severity = Severity::kProblem;
  found.push_back({"disk", severity, mebibytes(left) + " left, " + std::to_string(percent) + " %",
                   severity == Severity::kOk
                       ? ""
                       : "make room or move to a larger disk: a full disk stops writes, and a rebuild of the "
                         "read models needs as much again as they take"});
}

void examine_memory(Diagnoses& found) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes >> unit) {
    if (name != "MemAvailable:") continue;
    const bool is_low = kibibytes * 1024 < kMemoryWarningBytes;
    found.push_back(
        {"memory", is_low ? Severity::kWarning : Severity::kOk, mebibytes(kibibytes * 1024) + " available",
         is_low ? "lists live in memory (some 60 bytes a charge), twice during a rebuild: add some" : ""});
    return;
  }
}

void examine_limits(Diagnoses& found) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    const bool is_low = files.rlim_cur < kOpenFilesMin;
    found.push_back(
        {"open files", is_low ? Severity::kWarning : Severity::kOk,
         "at most " + std::to_string(files.rlim_cur) + " for a process started here",
         is_low ? "raise it for the server (LimitNOFILE, ulimit -n) to " + std::to_string(kOpenFilesMin)
                : ""});
  }
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    found.push_back({"address space", Severity::kWarning,
                     "at most " + mebibytes(space.rlim_cur) + " for a process started here",
                     "take the limit off (LimitAS, ulimit -v), or give a smaller --map-size everywhere"});
}

void examine_rights(const std::filesystem::path& root, Diagnoses& found) {
  const auto open = find_open_to_others(root);
  if (open.empty())
    found.push_back({"rights", Severity::kOk, "nobody but the owner may read or write the data", ""});
  else
    found.push_back({"rights", Severity::kProblem,
                     "others may read or write " + std::to_string(open.size()) + " paths, such as " +
                         open.front().path.string() + ", mode " + octal_text(open.front().mode),
                     "chmod -R go= " + root.string()});
}

}  // namespace

void examine_machine(const DataDirectory& data, Diagnoses& found) {
  utsname kernel{};
  if (::uname(&kernel) == 0)
    found.push_back({"kernel", Severity::kOk, std::string(kernel.release) + " " + kernel.machine, ""});
  found.push_back({"page size", Severity::kOk, std::to_string(::sysconf(_SC_PAGESIZE)) + " bytes", ""});
  examine_memory(found);
  examine_limits(found);
  examine_file_system(data.root, found);
  examine_writing(data, found);
  examine_disk(data.root, found);
  examine_rights(data.root, found);
}

}  // namespace pixledger::tools
