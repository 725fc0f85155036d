#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pixledger::tests {

// A child process with pipes for stdout and stderr and no stdin. The destructor kills it, by its pid, if it
// still runs. Not thread-safe.
class Process {
 public:
  // `environment`: NAME=VALUE, in addition to this process's own. Throws std::system_error if it cannot
  // start.
  explicit Process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;

  // Returns the exit code, minus the number of the signal that killed it, or nullopt after the time-out.
  // Reads the output meanwhile; after the process has ended, out() and err() are complete.
  std::optional<int> wait(std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // Reads until stdout (or stderr) contains the text. Returns false at the time-out or at its end.
  bool wait_for_out(const std::string& text, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  bool wait_for_err(const std::string& text, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // The number of bytes in the pipe of its stdout.
  std::size_t unread_out() const;
  // Closes the reading end of its stdout.
  void close_out();

  // Its output, as far as it was read.
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

// Runs a program to its end. Throws std::runtime_error at the time-out.
ProcessResult run_process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {},
                          std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace pixledger::tests
