#include "tools/idle_priority.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::tools {
namespace {

constexpr int kNicest = 19;
// linux/ioprio.h, which Debian's headers do not have.
constexpr int kIoPriorityOfProcess = 1;
constexpr int kIoPriorityIdle = 3 << 13;

}  // namespace

void become_idle() {
  ::setpriority(PRIO_PROCESS, 0, kNicest);
  ::syscall(SYS_ioprio_set, kIoPriorityOfProcess, 0, kIoPriorityIdle);
}

EarlyWriter::EarlyWriter(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
}

EarlyWriter::~EarlyWriter() { ::close(descriptor_); }

void EarlyWriter::write() { ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE); }

}  // namespace pixledger::tools
