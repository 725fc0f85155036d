#include "base/platform/entropy.h"

#include <cerrno>
#include <sys/random.h>
#include <system_error>

namespace pixledger {

void SystemEntropy::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    if (filled < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(filled));
  }
}

}  // namespace pixledger
