#include "base/platform/wake_signal.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/descriptor.h"

// One word: a count of raises, and in its lowest bit whether somebody may sleep on it.
//
// A waiter sets the bit, checks its condition once more, and sleeps while the word keeps its value with the
// bit set. A raiser increments the count and clears the bit in one step, and wakes all sleepers if the bit
// was set. So no wake-up is lost. If the raise precedes the bit, the waiter's check sees the news. If it
// follows the bit, the word changes before the sleep, which then fails, or the sleeper is woken. (The count
// wraps after 2^31 raises; a waiter that misses exactly that many checks again after `look_every`.)
//
// There is no count of sleepers, because a killed one would leave it too high for ever. A killed sleeper only
// leaves the bit, which costs the next raise one needless system call. A process killed between its news and
// its raise wakes no waiter; `look_every` covers that.
namespace pixledger {
namespace {

constexpr std::uint32_t kMaySleep = 1;
constexpr std::uint32_t kOneRaise = 2;
constexpr std::size_t kPageBytes = 4096;

using Word = std::atomic<std::uint32_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == sizeof(std::uint32_t));

// Null if mapping fails.
void* map_shared(int descriptor) {
  const int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  return page == MAP_FAILED ? nullptr : page;
}

// Allocates disk space in advance: writing to a map on a full disk kills the process.
bool has_page(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return status.st_size >= static_cast<off_t>(kPageBytes) ||
         ::posix_fallocate(descriptor, 0, kPageBytes) == 0;
}

void* map_file(const std::filesystem::path& file) {
  const Descriptor opened(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  return opened && has_page(opened.number()) ? map_shared(opened.number()) : nullptr;
}

Word* word_in(void* page) {
  if (!page) page = map_shared(-1);
  if (!page) throw std::system_error(errno, std::generic_category(), "cannot map a page");
  return static_cast<Word*>(page);
}

// Shared, not private: the peer may be another process.
void futex(const Word& word, int operation, std::uint32_t value, const timespec* timeout) {
  ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

WakeSignal::WakeSignal() : word_(word_in(nullptr)) {}

WakeSignal::WakeSignal(const std::filesystem::path& file) : word_(word_in(map_file(file))) {}

WakeSignal::~WakeSignal() { ::munmap(word_, kPageBytes); }

void WakeSignal::raise() {
  auto word = word_->load(std::memory_order_relaxed);
  while (!word_->compare_exchange_weak(word, (word + kOneRaise) & ~kMaySleep)) {
  }
  if ((word & kMaySleep) != 0) futex(*word_, FUTEX_WAKE, INT_MAX, nullptr);
}

std::uint32_t WakeSignal::announce() { return word_->fetch_or(kMaySleep) | kMaySleep; }

void WakeSignal::sleep(std::uint32_t announced, std::chrono::nanoseconds at_most) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec wait{static_cast<time_t>(seconds.count()), static_cast<long>((at_most - seconds).count())};
  futex(*word_, FUTEX_WAIT, announced, &wait);
}

bool WakeSignal::wait(std::chrono::milliseconds timeout, std::chrono::milliseconds look_every,
                      const Condition& done) {
  using Steady = std::chrono::steady_clock;
  const auto deadline = Steady::now() + timeout;
  while (!done()) {
    const auto now = Steady::now();
    if (now >= deadline) return false;
    const auto announced = announce();
    if (done()) return true;
    sleep(announced, std::min<std::chrono::nanoseconds>(deadline - now, look_every));
  }
  return true;
}

}  // namespace pixledger
