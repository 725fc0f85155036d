#include "eventstore/lmdb/write_gate.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>

#include "base/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

// LMDB locks byte 0 and, for each process with readers, the byte at its process id.
constexpr std::uint64_t kOfficeAt = std::uint64_t{1} << 40;

}  // namespace

WriteGate::WriteGate(const std::filesystem::path& file) : descriptor_(file, O_RDWR | O_CREAT) {
  if (!descriptor_) throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
}

WriteGate::Pass::Pass(const WriteGate& gate) : gate_(gate), among_threads_(gate.among_threads_) {
  auto lock = lock_of(F_WRLCK);
  while (::fcntl(gate.descriptor_.number(), F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot lock the write gate");
  }
}

WriteGate::Pass::~Pass() {
  auto lock = lock_of(F_UNLCK);
  ::fcntl(gate_.descriptor_.number(), F_OFD_SETLK, &lock);
}

KeeperOffice::KeeperOffice(const std::filesystem::path& directory)
    : file_(directory / "lock.mdb"), descriptor_(file_, O_RDWR) {
  if (!descriptor_) fail_on(file_, "open");
}

bool KeeperOffice::take() {
  auto lock = lock_of(F_WRLCK, kOfficeAt, 1);
  const bool taken = ::fcntl(descriptor_.number(), F_SETLK, &lock) == 0;
  if (!taken && errno != EAGAIN && errno != EACCES) fail_on(file_, "lock");
  is_mine_ = taken;
  return taken;
}

void KeeperOffice::leave() {
  is_mine_ = false;
  auto lock = lock_of(F_UNLCK, kOfficeAt, 1);
  ::fcntl(descriptor_.number(), F_SETLK, &lock);
}

bool KeeperOffice::is_held() const {
  if (is_mine_) return true;
  auto lock = lock_of(F_WRLCK, kOfficeAt, 1);
  if (::fcntl(descriptor_.number(), F_GETLK, &lock) != 0) fail_on(file_, "ask about the lock of");
  return lock.l_type != F_UNLCK;
}

}  // namespace pixledger::eventstore
