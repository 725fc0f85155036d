#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace pixledger {

// For services: call first in main, because threads inherit it. SIGTERM, SIGINT and SIGHUP then wait for
// wait_for_stop(); an ignored SIGINT or SIGHUP, as under nohup, stays ignored. The terminal cannot suspend
// the process during a write, and writing to a closed pipe or socket returns an error.
void block_stop_signals();

// Blocks until a signal asks this process to stop, and returns its number. Requires block_stop_signals().
int wait_for_stop();
// nullopt after the timeout.
std::optional<int> wait_for_stop(std::chrono::milliseconds timeout);

// Waits for the given time, or until another signal asks this process to stop. SIGHUP does not end the wait.
void wait_unless_stopped(std::chrono::milliseconds time);

// While it lives, this thread and threads that it starts defer all signals that would end or suspend the
// process. A writer suspended during a write would block all processes of the data directory. Create it
// before the threads that it must protect: any thread without it can take a signal.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace pixledger
