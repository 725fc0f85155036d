#include "eventstore/postgres/copy_guard.h"

#include <sys/stat.h>

#include "eventstore/postgres/kept_copy.h"
#include "eventstore/postgres/node_copy.h"

namespace pixledger::eventstore {
namespace {

std::unique_ptr<UserLock> take_into_use(const SharedNode& node) {
  auto lock = UserLock::try_take(users_of_copy(node));
  if (!lock)
    throw std::runtime_error("another program fetches the copy in " + node.directory.string() +
                             " anew: start again once it is there");
  return lock;
}

// Whether the data file that is open is the one that the directory has.
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

// Who has the copy open and was not told of any removal yet is at the first stage.
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
                  "unless the copy is damaged: see \"When PostgreSQL has lost commits\" in OPERATING.md: " +
                  problem);
}

void CopyGuard::end_for_database(const std::string& problem) const {
  last_words_.end("the process ends, as the database " + node_.uri.database +
                  " is damaged, which another copy of the ledger would not mend: see \"When the database is "
                  "lost\" in OPERATING.md: " +
                  problem);
}

}  // namespace pixledger::eventstore
