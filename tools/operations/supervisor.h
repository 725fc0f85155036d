#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/logging.h"

namespace pixledger::tools {

// Decides from a program's exits whether it will ever stay up, and how long to wait before a restart.
class RestartPolicy {
 public:
  // A program that runs this long has started successfully. A server waits 10 s for read models that another
  // process holds before it fails, plus the time to open the ledger; that must not count as success.
  static constexpr std::chrono::seconds kStaysUp{30};
  static constexpr unsigned kFailuresAtStart = 5;  // of a program that has never stayed up
  static constexpr std::chrono::milliseconds kFirstPause{200};
  static constexpr std::chrono::milliseconds kLongestPause{30'000};

  // Records an exit after this run time.
  void note_end(std::chrono::steady_clock::duration ran);
  // True if it has failed at every start, at least kFailuresAtStart times.
  bool is_hopeless() const { return !stayed_up_ && failures_ >= kFailuresAtStart; }
  // Doubles with each failure in a row.
  std::chrono::milliseconds pause() const;

 private:
  unsigned failures_ = 0;  // consecutive exits without staying up
  bool stayed_up_ = false;
};

// A supervised program.
struct Supervised {
  std::filesystem::path executable;
  std::function<std::vector<std::string>()> arguments;  // called before each start
  bool essential = false;                               // without it the others are stopped too
  bool reads_anew = false;                              // SIGHUP makes it reload its files, not stop
  // A file that another program creates: starts after it exists. Empty: starts immediately.
  std::filesystem::path needs{};
};

// Meaning of SIGHUP: the terminal has closed, or, without one, that files must be reloaded.
enum class Hangup { kStops, kIsPassedOn };

// Starts programs and restarts them when they exit, after a pause that doubles while they keep failing. They
// inherit stdout, stderr and environment, and end when this process ends, however it ends. The process must
// have no other thread.
class Supervisor {
 public:
  Supervisor(std::vector<Supervised> programs, Hangup hangup, Logger& logger);

  // Runs until SIGTERM, SIGINT or a SIGHUP that stops; then stops the programs, waits for them and returns
  // true. Returns false if an essential program never stays up, after stopping the others. Other failing
  // programs are restarted forever.
  bool run();

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Child {
    Supervised program;
    std::string name;
    pid_t pid = 0;  // 0: not running
    Time started{};
    Time start_at{};  // next start, if it is not running
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
