#pragma once

#include <functional>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

// A ledger that several processes have open. A child is forked before its parent opens the ledger, as LMDB
// requires.
namespace pixledger::tests {

// A child process that runs `work` and exits with 0 if it returned true. It reports when it is ready.
class Child {
 public:
  using SayReady = std::function<void()>;

  explicit Child(const std::function<bool(const SayReady&)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) run(work, ends[1]);
    ::close(ends[1]);
    ready_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) kill();
    ::close(ready_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns false if it ended without becoming ready.
  bool wait_until_ready() const {
    char byte = 0;
    return ::read(ready_, &byte, 1) == 1;
  }
  // Its end closes its end of the pipe.
  bool ends_within(std::chrono::milliseconds time) const {
    pollfd end{ready_, 0, 0};
    return ::poll(&end, 1, static_cast<int>(time.count())) == 1;
  }
  int status() {
    int status = -1;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    status();
  }

 private:
  [[noreturn]] static void run(const std::function<bool(const SayReady&)>& work, int ready) {
    int status = 2;
    try {
      status = work([&] { [[maybe_unused]] const auto written = ::write(ready, "r", 1); }) ? 0 : 1;
    } catch (...) {
    }
    ::_exit(status);
  }

  pid_t pid_;
  int ready_;
};

class EmptyLedger {
 public:
  explicit EmptyLedger(const eventstore::LmdbOptions& options = one_gigabyte()) {
    SeededEntropy entropy(1);
    eventstore::LmdbLog::create(path(), entropy, options);
  }
  std::filesystem::path path() const { return directory_.path() / "ledger"; }

 private:
  TemporaryDirectory directory_;
};

inline domain::StreamName shared_stream() { return domain::StreamName::parse("charge-cshared00").value(); }

inline eventstore::Batch next_of_stream(const eventstore::LogWrite& write) {
  const auto version = write.version_of(shared_stream()) + 1;
  return {kStart, 0, {{shared_stream(), version, "envelope " + std::to_string(version), {}, {}}}, {}};
}

inline void append_one(eventstore::Log& log) {
  const auto write = log.begin_write();
  write->append(next_of_stream(*write));
  write->commit();
}

}  // namespace pixledger::tests
