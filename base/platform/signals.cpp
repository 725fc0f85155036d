#include "base/platform/signals.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <ctime>
#include <pthread.h>

namespace pixledger {
namespace {

constexpr std::array kSuspending{SIGTSTP, SIGTTIN, SIGTTOU};

bool is_ignored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  for (const int signal : {SIGINT, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

void block_stop_signals() {
  sigset_t set = stop_signals();
  for (const int signal : kSuspending) sigaddset(&set, signal);
  [[maybe_unused]] const int result = ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  assert(result == 0);
  ::signal(SIGPIPE, SIG_IGN);
}

int wait_for_stop() {
  const sigset_t set = stop_signals();
  int signal = 0;
  while (::sigwait(&set, &signal) != 0) {
  }
  return signal;
}

std::optional<int> wait_for_stop(std::chrono::milliseconds timeout) {
  const sigset_t set = stop_signals();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now());
    const auto left_ns = left.count() > 0 ? left.count() : 0;
    const timespec wait{static_cast<time_t>(left_ns / 1'000'000'000),
                        static_cast<long>(left_ns % 1'000'000'000)};
    const int signal = ::sigtimedwait(&set, nullptr, &wait);
    if (signal > 0) return signal;
    if (errno != EINTR) return std::nullopt;
  }
}

void wait_unless_stopped(std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  std::optional<int> signal = SIGHUP;
  while (signal == SIGHUP)
    signal = wait_for_stop(
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()));
}

HeldSignals::HeldSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2})
    sigaddset(&set, signal);
  for (const int signal : kSuspending) sigaddset(&set, signal);
  [[maybe_unused]] const int result = ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  assert(result == 0);
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace pixledger
