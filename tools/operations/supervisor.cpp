#include "tools/operations/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::tools {
void RestartPolicy::note_end(std::chrono::steady_clock::duration ran) {
  const bool stayed_up = ran >= kStaysUp;
  stayed_up_ = stayed_up_ || stayed_up;
  failures_ = stayed_up ? 1 : failures_ + 1;
}

std::chrono::milliseconds RestartPolicy::pause() const {
  auto pause = kFirstPause;
  for (unsigned i = 1; i < failures_ && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kStopPatience{60};  // to drain; then it is killed
constexpr std::chrono::milliseconds kLookForFileEvery{100};
constexpr int kCannotExecute = 127;
constexpr int kExitUsageOfChild = 2;

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

std::optional<int> next_signal(steady_clock::time_point deadline) {
  const sigset_t set = watched_signals();
  const auto left = std::max(deadline - steady_clock::now(), steady_clock::duration::zero());
  const auto left_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec wait{static_cast<time_t>(left_ns / 1'000'000'000),
                      static_cast<long>(left_ns % 1'000'000'000)};
  const int signal = ::sigtimedwait(&set, nullptr, &wait);
  if (signal < 0) return std::nullopt;
  return signal;
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* arguments, pid_t parent) {
  // Its own process group: Ctrl-C reaches only the supervisor, which then stops the programs in order.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execv(arguments[0], arguments);
  ::_exit(kCannotExecute);
}

pid_t spawn(const std::filesystem::path& executable, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), executable.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + executable.string());
  if (pid == 0) become(pointers.data(), parent);
  return pid;
}

}  // namespace

Supervisor::Supervisor(std::vector<Supervised> programs, Hangup hangup, Logger& logger)
    : hangup_(hangup), logger_(logger) {
  for (Supervised& program : programs) {
    Child child;
    child.name = program.executable.filename().string();
    child.program = std::move(program);
    children_.push_back(std::move(child));
  }
}

bool Supervisor::run() {
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  bool well = true;
  while (well) {
    start_due();
    const auto signal = await_signal();
    if (signal == SIGHUP && hangup_ == Hangup::kIsPassedOn)
      pass_hangup_on();
    else if (signal && signal != SIGCHLD)
      break;
    well = reap();
  }
  stop_all();
  return well;
}

void Supervisor::start(Child& child) {
  try {
    child.pid = spawn(child.program.executable, child.program.arguments());
  } catch (const std::system_error& refused) {
    child.start_at = steady_clock::now() + RestartPolicy::kLongestPause;
    logger_.error("cannot be started for now; tried again after the pause",
                  {{"program", child.name},
                   {"fault", refused.what()},
                   {"pauseMs", RestartPolicy::kLongestPause.count()}});
    return;
  }
  child.started = steady_clock::now();
  logger_.info("started", {{"program", child.name}, {"pid", child.pid}});
}

void Supervisor::start_due() {
  for (Child& child : children_) {
    const auto now = steady_clock::now();
    if (child.pid != 0 || child.start_at > now) continue;
    const auto& needs = child.program.needs;
    std::error_code unknown;
    if (needs.empty() || std::filesystem::exists(needs, unknown))
      start(child);
    else
      child.start_at = now + kLookForFileEvery;
  }
}

std::optional<int> Supervisor::await_signal() const {
  auto deadline = steady_clock::now() + seconds(60);
  for (const Child& child : children_) {
    if (child.pid == 0) deadline = std::min(deadline, child.start_at);
  }
  return next_signal(deadline);
}

void Supervisor::pass_hangup_on() const {
  for (const Child& child : children_) {
    if (child.program.reads_anew && child.pid != 0) ::kill(child.pid, SIGHUP);
  }
}

bool Supervisor::reap() {
  bool well = true;
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
    for (Child& child : children_) {
      if (child.pid == pid) well = note_end(child, status) && well;
    }
  }
  return well;
}

bool Supervisor::note_end(Child& child, int status) {
  const auto now = steady_clock::now();
  child.pid = 0;
  child.restarts.note_end(now - child.started);

  const bool usage = WIFEXITED(status) && WEXITSTATUS(status) == kExitUsageOfChild;
  const bool hopeless = usage || child.restarts.is_hopeless();
  if (hopeless && child.program.essential) {
    logger_.error("does not stay up: giving up", {{"program", child.name}, {"end", describe(status)}});
    return false;
  }
  const auto pause = usage ? RestartPolicy::kLongestPause : child.restarts.pause();
  child.start_at = now + pause;
  if (hopeless) {
    logger_.error(
        "does not stay up, the others go on without it: see above what it says; tried again after the pause",
        {{"program", child.name}, {"end", describe(status)}, {"pauseMs", pause.count()}});
    return true;
  }
  logger_.warning("ended; starting it again",
                  {{"program", child.name}, {"end", describe(status)}, {"pauseMs", pause.count()}});
  return true;
}

void Supervisor::stop_all() {
  const auto running = [this] {
    return std::any_of(children_.begin(), children_.end(), [](const Child& child) { return child.pid != 0; });
  };
  const auto signal_all = [this](int signal) {
    for (const Child& child : children_) {
      if (child.pid != 0) ::kill(child.pid, signal);
    }
  };
  const auto collect = [this] {
    int status = 0;
    for (Child& child : children_) {
      if (child.pid == 0 || ::waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      logger_.info("stopped", {{"program", child.name}, {"end", describe(status)}});
      child.pid = 0;
    }
  };
  signal_all(SIGTERM);
  const auto deadline = steady_clock::now() + kStopPatience;
  for (collect(); running() && steady_clock::now() < deadline; collect()) next_signal(deadline);
  if (!running()) return;
  logger_.error("killing what does not stop");
  signal_all(SIGKILL);
  const auto end = steady_clock::now() + kStopPatience;
  for (collect(); running() && steady_clock::now() < end; collect()) next_signal(end);
}

}  // namespace pixledger::tools
