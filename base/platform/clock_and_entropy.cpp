#include "base/platform/clock_and_entropy.h"

#include <cerrno>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <sys/random.h>
#include <system_error>

namespace pixledger {
namespace {

std::int64_t read_millis(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) {
    throw std::system_error(errno, std::generic_category(), "clock_gettime");
  }
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

}  // namespace

Timestamp SystemClock::now() const { return Timestamp(read_millis(CLOCK_REALTIME)); }

std::int64_t SystemClock::boot_millis() const { return read_millis(CLOCK_BOOTTIME); }

std::string SystemClock::boot_id() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot_id;
  if (!(file >> boot_id)) throw std::runtime_error("cannot read the kernel's boot id");
  return boot_id;
}

std::string Entropy::bytes(std::size_t count) {
  std::string bytes(count, '\0');
  fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

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
