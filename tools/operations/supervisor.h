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

// What the ends of one program say about it: whether it is ever going to stay up, and how long to wait before
// it is started again.
class RestartPolicy {
 public:
  // Whoever runs this long has started well. A server waits 10 s for read models that another process holds
  // before it fails, besides what opening the ledger takes: that must not count.
  static constexpr std::chrono::seconds kStaysUp{30};
  static constexpr unsigned kFailuresAtStart = 5;  // of a program that has never stayed up
  static constexpr std::chrono::milliseconds kFirstPause{200};
  static constexpr std::chrono::milliseconds kLongestPause{30'000};

  // It ended after so long.
  void note_end(std::chrono::steady_clock::duration ran);
  // Has failed at every start, and often enough.
  bool is_hopeless() const { return !stayed_up_ && failures_ >= kFailuresAtStart; }
  // Doubles while it keeps failing.
  std::chrono::milliseconds pause() const;

 private:
  unsigned failures_ = 0;  // ends in a row without having stayed up
  bool stayed_up_ = false;
};

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
