#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/logging.h"
#include "tools/operations/restart_policy.h"

namespace pixledger::tools {

// A program to keep running.
struct Supervised {
  std::filesystem::path executable;
  std::function<std::vector<std::string>()> arguments;  // asked before each start
  bool essential = false;   // nothing else is worth running when it cannot be started
  bool reads_anew = false;  // on SIGHUP, which asks it not to stop
  // A file that another of them makes: it is started once that is there. Empty: none.
  std::filesystem::path needs{};
};

// What SIGHUP means: the terminal is gone, or, without one, that files are to be read anew.
enum class Hangup { kStops, kIsPassedOn };

// Starts programs and starts again those that end, after a pause that doubles while they keep ending. They
// have this process's stdout, stderr and environment, and end when it does, however that ends. One thread;
// the process must have no other.
class Supervisor {
 public:
  Supervisor(std::vector<Supervised> programs, Hangup hangup, Logger& logger);

  // Until SIGTERM, SIGINT or a SIGHUP that stops: then stops the programs, waits for them and returns true.
  // False when an essential one never stays up; the others have been stopped then. Others that do not stay up
  // are tried again and again.
  bool run();

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Child {
    Supervised program;
    std::string name;
    pid_t pid = 0;  // 0: not running
    Time started{};
    Time start_at{};  // when it is not running
    RestartPolicy restarts;
  };

  void start(Child& child);
  void start_due();
  std::optional<int> await_signal() const;
  void pass_hangup_on() const;
  bool reap();
  bool note_end(Child& child, int status);
  void stop_all();

  std::vector<Child> children_;
  const Hangup hangup_;
  Logger& logger_;
};

}  // namespace pixledger::tools
