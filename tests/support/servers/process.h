#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pixledger::tests {

// A program of its own, started with pipes for stdout and stderr and no stdin. Killed, by its pid, when the
// object goes and it still runs. Not for several threads.
class Process {
 public:
  // `environment`: NAME=VALUE, in addition to this process's own. Throws std::system_error when it cannot
  // start.
  explicit Process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;

  // The exit code, or minus the number of the signal that killed it; nullopt when it still runs after the
  // time-out. Reads its output meanwhile. Once it has ended, all its output is there.
  std::optional<int> wait(std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // Reads until stdout (or stderr) contains the text; false when it does not in time or at its end.
  bool wait_for_out(const std::string& text, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  bool wait_for_err(const std::string& text, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // How many bytes it has written to stdout that were not read yet.
  std::size_t unread_out() const;
  // Closes the reading end of its stdout.
  void close_out();

  // What it has written so far, as far as it was read.
  const std::string& out() const { return out_.text; }
  const std::string& err() const { return err_.text; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  struct Stream {
    int descriptor = -1;
    std::string text;
  };

  bool wait_for(Stream& stream, const std::string& text, std::chrono::milliseconds timeout);
  bool pump(Deadline deadline);
  static void drain(Stream& stream);

  pid_t pid_ = -1;
  int pid_descriptor_ = -1;
  std::optional<int> code_;
  Stream out_;
  Stream err_;
};

struct ProcessResult {
  int code;
  std::string out;
  std::string err;
};

// Runs a program to its end. Throws std::runtime_error when that takes longer than the time-out.
ProcessResult run_process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {},
                          std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace pixledger::tests
