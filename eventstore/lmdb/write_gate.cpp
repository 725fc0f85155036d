#include "eventstore/lmdb/write_gate.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

void set_lock(int descriptor, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  while (::fcntl(descriptor, F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot lock the write gate");
  }
}

}  // namespace

WriteGate::WriteGate(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
}

WriteGate::~WriteGate() { ::close(descriptor_); }

WriteGate::Pass::Pass(const WriteGate& gate) : gate_(gate) { set_lock(gate.descriptor_, F_WRLCK); }

WriteGate::Pass::~Pass() {
  struct flock lock {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  ::fcntl(gate_.descriptor_, F_OFD_SETLK, &lock);
}

}  // namespace pixledger::eventstore
