#include "tests/support/servers/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> with_own_environment(std::vector<std::string> environment) {
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

pid_t spawn(const std::filesystem::path& executable, std::vector<std::string> arguments,
            std::vector<std::string> environment, int out, int err) {
  arguments.insert(arguments.begin(), executable.string());
  environment = with_own_environment(std::move(environment));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, executable.c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                  pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(error, "cannot start " + executable.string());
  return pid;
}

int milliseconds_until(steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

int code_of(int status) { return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

Process::Process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment) {
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  pid_ = spawn(executable, arguments, environment, out.write_end, err.write_end);
  ::close(out.write_end);
  ::close(err.write_end);
  out_.descriptor = out.read_end;
  err_.descriptor = err.read_end;
  pid_descriptor_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pid_descriptor_ < 0) fail(errno, "pidfd_open");
}

Process::~Process() {
  if (!code_) {
    send(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int descriptor : {pid_descriptor_, out_.descriptor, err_.descriptor}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void Process::send(int signal) const {
  if (!code_) ::kill(pid_, signal);
}

std::optional<int> Process::wait(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (!code_ && pump(deadline)) {
  }
  return code_;
}

bool Process::wait_for_out(const std::string& text, milliseconds timeout) {
  return wait_for(out_, text, timeout);
}
bool Process::wait_for_err(const std::string& text, milliseconds timeout) {
  return wait_for(err_, text, timeout);
}

std::size_t Process::unread_out() const {
  int bytes = 0;
  if (::ioctl(out_.descriptor, FIONREAD, &bytes) != 0) fail(errno, "FIONREAD");
  return static_cast<std::size_t>(bytes);
}

void Process::close_out() {
  ::close(out_.descriptor);
  out_.descriptor = -1;
}

bool Process::wait_for(Stream& stream, const std::string& text, milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (stream.text.find(text) == std::string::npos) {
    if (code_ || !pump(deadline)) return false;
  }
  return true;
}

// Waits for output or the end. Returns false if the deadline has passed.
bool Process::pump(Deadline deadline) {
  std::array<pollfd, 3> watched{
      {{out_.descriptor, POLLIN, 0}, {err_.descriptor, POLLIN, 0}, {pid_descriptor_, POLLIN, 0}}};
  const int ready = ::poll(watched.data(), watched.size(), milliseconds_until(deadline));
  if (ready == 0) return false;
  if (ready < 0) return errno == EINTR;
  int status = 0;
  const bool ended = (watched[2].revents & POLLIN) != 0 && ::waitpid(pid_, &status, WNOHANG) == pid_;
  drain(out_);
  drain(err_);
  if (ended) code_ = code_of(status);
  return true;
}

void Process::drain(Stream& stream) {
  std::array<char, 16'384> chunk{};
  while (stream.descriptor >= 0) {
    const ssize_t count = ::read(stream.descriptor, chunk.data(), chunk.size());
    if (count < 0) return;
    if (count == 0) {
      ::close(stream.descriptor);
      stream.descriptor = -1;
      return;
    }
    stream.text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

ProcessResult run_process(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, milliseconds timeout) {
  Process process(executable, arguments, environment);
  const auto code = process.wait(timeout);
  if (!code)
    throw std::runtime_error(executable.filename().string() + " does not end; it wrote: " + process.err());
  return {*code, process.out(), process.err()};
}

}  // namespace pixledger::tests
