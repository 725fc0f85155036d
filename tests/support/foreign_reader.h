#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "eventstore/lmdb/lmdb_log_recovery.h"

namespace pixledger::tests {

// Another process that holds a snapshot of the environment until it is killed. LMDB wants it to be forked
// before this process opens the environment.
class ForeignReader {
 public:
  // A ledger's programs keep a mark that they have it open.
  enum class Of { kLedger, kOther };

  ForeignReader(const std::filesystem::path& directory, const eventstore::LmdbOptions& options,
                Of of = Of::kOther) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      std::optional<eventstore::LmdbOpening> opening;
      if (of == Of::kLedger) opening.emplace(directory, options).turn.reset();
      const eventstore::LmdbEnvironment environment(directory, opening ? opening->options : options);
      const eventstore::LmdbRead read(environment);
      if (::write(ends[1], "r", 1) == 1) ::pause();
      ::_exit(1);
    }
    ::close(ends[1]);
    char byte = 0;
    const bool is_ready = ::read(ends[0], &byte, 1) == 1;
    ::close(ends[0]);
    if (!is_ready) throw std::runtime_error("the reader did not start");
  }
  ~ForeignReader() {
    if (pid_ > 0) kill();
  }
  ForeignReader(const ForeignReader&) = delete;
  ForeignReader& operator=(const ForeignReader&) = delete;

  pid_t pid() const { return pid_; }
  // Stops the process, which still holds its snapshot.
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace pixledger::tests
