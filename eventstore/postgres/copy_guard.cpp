#include "eventstore/postgres/copy_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/postgres/node_copy.h"

namespace pixledger::eventstore {
namespace {

constexpr std::array kSignals{SIGBUS, SIGSEGV};
constexpr std::string_view kProblem = "the process crashed in its pages\n";
constexpr std::string_view kMessage =
    "pixledger: the process crashes in the pages of its copy of the shared ledger, which are damaged; the "
    "next start "
    "fetches it anew\n";

// What the signal handler uses: it must not allocate.
struct Watched {
  std::array<char, PATH_MAX> mark{};
  std::array<char, PATH_MAX> trust{};
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::array<struct sigaction, kSignals.size()> before{};
};
Watched watched;                       // NOLINT: handlers cannot reach anything else
std::atomic<bool> is_watched = false;  // NOLINT: likewise

void write_crash(int descriptor, std::string_view text) {
  // If the write fails there is no remedy: the process ends.
  if (::write(descriptor, text.data(), text.size()) < 0) return;
}

void leave_mark() {
  const int saved = errno;
  const Descriptor mark(::open(watched.mark.data(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (mark) write_crash(mark.number(), kProblem);
  ::unlink(watched.trust.data());
  write_crash(STDERR_FILENO, kMessage);
  errno = saved;
}

// Whether the kernel reports an access inside the file. The map moves when another process has enlarged the
// file, so SIGBUS counts at any address: only a mapped file causes it.
bool is_in_copy(int signal, const siginfo_t& info) {
  if (info.si_code <= 0) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return signal == SIGBUS || (at >= watched.begin && at < watched.end);
}

// Returns to the code that crashed, which crashes again, now with the handler from before. A signal that a
// process has sent would not recur by itself.
void on_signal(int signal, siginfo_t* info, void*) {
  if (is_in_copy(signal, *info)) leave_mark();
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal) ::sigaction(signal, &watched.before[i], nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

// LMDB ends the process once this returns.
void on_failed_assertion(MDB_env*, const char*) { leave_mark(); }

// Finds where the file is mapped: "7f00-7f01 r--s …  /path".
bool find_mapping(const std::filesystem::path& file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(" " + file.string())) continue;
    std::istringstream range(line);
    char dash = 0;
    range >> std::hex >> watched.begin >> dash >> watched.end;
    return static_cast<bool>(range);
  }
  return false;
}

}  // namespace

CopyCrash::CopyCrash(const LmdbEnvironment& environment, const std::filesystem::path& mark,
                     const std::filesystem::path& trust)
    : environment_(environment) {
  if (std::max(mark.native().size(), trust.native().size()) >= watched.mark.size() ||
      is_watched.exchange(true))
    return;
  is_watching_ = true;
  std::strcpy(watched.mark.data(), mark.c_str());
  std::strcpy(watched.trust.data(), trust.c_str());
  mdb_env_set_assert(environment.get(), on_failed_assertion);
  if (!find_mapping(std::filesystem::canonical(environment.directory()) / "data.mdb"))
    watched.begin = watched.end = 0;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &watched.before[i]);
}

CopyCrash::~CopyCrash() {
  if (!is_watching_) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &watched.before[i], nullptr);
  mdb_env_set_assert(environment_.get(), nullptr);
  is_watched = false;
}

namespace {

std::unique_ptr<UserLock> take_into_use(const SharedNode& node) {
  auto lock = UserLock::try_take(users_of_copy(node));
  if (!lock)
    throw std::runtime_error("another program fetches the copy in " + node.directory.string() +
                             " anew: start again once it is there");
  return lock;
}

// Whether the open data file is the one in the directory.
bool is_in_place(const LmdbEnvironment& environment) {
  int descriptor = -1;
  check_lmdb(mdb_env_get_fd(environment.get(), &descriptor), "mdb_env_get_fd");
  struct stat open_one {};
  struct stat there {};
  return ::fstat(descriptor, &open_one) == 0 &&
         ::stat((environment.directory() / "data.mdb").c_str(), &there) == 0 &&
         open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

}  // namespace

CopyGuard::CopyGuard(SharedNode node, const LmdbLog& copy, const LastWords& last_words)
    : node_(std::move(node)),
      copy_(copy),
      last_words_(last_words),
      in_use_(take_into_use(node_)),
      crash_(copy.environment(), mark_of_bad_copy(node_), mark_of_trust(node_)) {}

void CopyGuard::look() const {
  std::string problem;
  try {
    problem = problem_of_copy(node_).value_or("");
    if (problem.empty() && !is_in_place(copy_.environment())) problem = "its files were removed or replaced";
  } catch (const std::exception&) {
    // No descriptor or memory is left, which says nothing about the copy.
    return;
  }
  if (!problem.empty()) end(problem);
}

// A program that has the copy open and has seen no removal yet is at the first stage.
void CopyGuard::note_scrubbed(std::int64_t scrubs) const {
  in_use_->move_to(static_cast<std::uint64_t>(scrubs) + 1);
}

bool CopyGuard::have_all_scrubbed(std::int64_t scrubs) const {
  return UserLock::are_all_at(static_cast<std::uint64_t>(scrubs) + 1, users_of_copy(node_));
}

void CopyGuard::end(const std::string& problem) const {
  mark_as_bad(node_, problem);
  last_words_.end("the copy of the shared ledger in " + node_.directory.string() +
                  " is damaged or not that of the ledger, so the process ends; the next start fetches it "
                  "anew: " +
                  problem);
}

void CopyGuard::end_as_astray(const std::string& problem) const {
  ask_to_keep_copy(node_.directory, mark_of_trust(node_));
  mark_as_bad(node_, problem);
  last_words_.end("the copy of the shared ledger in " + node_.directory.string() +
                  " has a history that PostgreSQL does not have, so the process ends; the next start fetches "
                  "another and keeps this one beside it, as PostgreSQL may have lost what was acknowledged, "
                  "unless the copy is damaged: see docs/how-to/operate/lost-commits.md: " +
                  problem);
}

void CopyGuard::end_for_database(const std::string& problem) const {
  last_words_.end("the process ends, as the database " + node_.uri.database +
                  " is damaged, which another copy of the ledger would not mend: see \"When the database is "
                  "lost\" in docs/how-to/operate/database-failover.md: " +
                  problem);
}

}  // namespace pixledger::eventstore
