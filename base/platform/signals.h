#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace pixledger {

// For services: call first in main, before there are threads, which inherit it. From then on SIGTERM, SIGINT
// and SIGHUP wait for wait_for_stop() (an ignored SIGINT or SIGHUP, as under nohup, stays ignored), the
// terminal cannot suspend the process in the middle of a write, and writing to a closed pipe or socket is an
// error code.
void block_stop_signals();

// Returns the number of the signal that asks this process to stop. block_stop_signals() must have been
// called.
int wait_for_stop();
// nullopt after the time-out.
std::optional<int> wait_for_stop(std::chrono::milliseconds timeout);

// Waits for the given time, or until another signal asks this process to stop. SIGHUP does not end the wait.
void wait_unless_stopped(std::chrono::milliseconds time);

// As long as it lives, this thread and those it starts meanwhile take no signal that would end or suspend the
// process; they are taken afterwards. A writer that is suspended inside a write would hold up all processes
// of the data directory. Make one before starting the threads it has to protect: a signal to the process is
// taken by any thread that does not hold it.
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
