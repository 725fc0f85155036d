#include "tools/cli/run_in_subprocess.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/process/options.h"
#include "base/process/output.h"
#include "eventstore/log/log.h"
#include "stores/sql/refusal.h"

namespace pixledger::tools {
namespace {

constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

[[noreturn]] void run_in_child(const std::function<int()>& body, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(kExitFault);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int crash : kCrashes) ::signal(crash, SIG_DFL);
  int code = kExitFault;
  try {
    code = run_with_whole_errors(body);
    flush_output();
  } catch (const ReaderGone&) {
  } catch (const std::exception& error) {
    std::cerr << "pixledger: " << error.what() << "\n";
    code = kExitFault;
  }
  std::_Exit(code);
}

}  // namespace

std::optional<int> run_in_subprocess(const std::function<int()>& body) {
  flush_output();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (child == 0) run_in_child(body, parent);
  int status = 0;
  while (::waitpid(child, &status, 0) != child) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for a process");
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (std::find(kCrashes.begin(), kCrashes.end(), signal) != kCrashes.end()) return std::nullopt;
  throw std::runtime_error("was killed by signal " + std::to_string(signal));
}

int run_with_whole_errors(const std::function<int()>& command) {
  try {
    return command();
  } catch (const std::exception& error) {
    if (stores::is_damaged_file(error) || dynamic_cast<const eventstore::LogCorrupt*>(&error))
      throw std::runtime_error(stores::text_of(error) + "; pixledger doctor says what to do");
    if (!stores::refusal_of(error) && !dynamic_cast<const Poco::Exception*>(&error)) throw;
    throw std::runtime_error(stores::text_of(error));
  }
}

}  // namespace pixledger::tools
