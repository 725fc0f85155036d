#include "base/platform/lock_probe.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace pixledger {

bool is_locked(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  const int asked = ::fcntl(descriptor, F_OFD_GETLK, &range);
  const int code = errno;
  ::close(descriptor);
  if (asked != 0) throw std::system_error(code, std::generic_category(), "cannot ask about " + file.string());
  return range.l_type != F_UNLCK;
}

}  // namespace pixledger
