#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "eventstore/lmdb/database_facts.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/eventstore/lmdb/forked_child.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using eventstore::LmdbEnvironment;
using eventstore::LmdbRead;
using eventstore::LmdbWrite;

namespace {

// Called in place of the next mdb_txn_renew or mdb_txn_begin of a reader, unless empty.
std::function<int(const std::function<int()>& real)> instead_of_next_reader;

int as_planned(const std::function<int()>& real) {
  const auto planned = std::exchange(instead_of_next_reader, nullptr);
  return planned ? planned(real) : real();
}

template <class Function>
Function real_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// They override LMDB's own, since the executable's symbols come first.
extern "C" int mdb_txn_renew(MDB_txn* transaction) {
  static const auto real = real_function<int (*)(MDB_txn*)>("mdb_txn_renew");
  return as_planned([&] { return real(transaction); });
}

extern "C" int mdb_txn_begin(MDB_env* environment, MDB_txn* parent, unsigned flags, MDB_txn** transaction) {
  static const auto real = real_function<int (*)(MDB_env*, MDB_txn*, unsigned, MDB_txn**)>("mdb_txn_begin");
  const auto begin = [&] { return real(environment, parent, flags, transaction); };
  return (flags & MDB_RDONLY) != 0 ? as_planned(begin) : begin();
}

namespace {

// The head of LMDB's lock file (mdb.c, MDB_txbody), where it publishes the newest commit.
struct LockFileHead {
  std::uint32_t magic;
  std::uint32_t format;
  pthread_mutex_t readers;
  volatile std::size_t published;
};

class LockFile {
 public:
  explicit LockFile(const std::filesystem::path& directory) {
    const int file = ::open((directory / "lock.mdb").c_str(), O_RDWR | O_CLOEXEC);
    head_ = static_cast<LockFileHead*>(
        ::mmap(nullptr, sizeof(LockFileHead), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
  }
  ~LockFile() { ::munmap(head_, sizeof(LockFileHead)); }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  void publish(std::size_t commit) { head_->published = commit; }
  std::size_t published() const { return head_->published; }

 private:
  LockFileHead* head_;
};

eventstore::LmdbOptions unsynced() {
  auto options = tests::one_gigabyte();
  options.sync = false;
  return options;
}

// A database whose only value is the number of the commit that wrote it, after three commits.
class NumberedCommits {
 public:
  explicit NumberedCommits(const std::filesystem::path& directory) : environment_(directory, unsynced()) {
    for (int i = 0; i < 3; ++i) commit();
  }

  void commit() {
    LmdbWrite write(environment_);
    eventstore::lmdb_put(write.get(), database_, "commit", big_endian(mdb_txn_id(write.get())));
    write.commit();
  }
  std::size_t shown_by(const LmdbRead& read) const {
    return from_big_endian(eventstore::lmdb_get(read.get(), database_, "commit").value());
  }
  const LmdbEnvironment& environment() const { return environment_; }

 private:
  LmdbEnvironment environment_;
  MDB_dbi database_ = environment_.open_database("commits");
};

// Preempts the next reader after it has read the published number, N: meanwhile commit N + 1 ends, and commit
// N + 2 writes its meta page, over the one that the reader is about to copy, but does not sync it.
class Preempted {
 public:
  // There must be at least three commits.
  explicit Preempted(const std::filesystem::path& directory)
      : lock_file_(directory), unpublished_(lock_file_.published()) {
    instead_of_next_reader = [this](const std::function<int()>& real) {
      lock_file_.publish(unpublished_ - 2);
      const int code = real();
      lock_file_.publish(durable());
      return code;
    };
  }
  ~Preempted() {
    instead_of_next_reader = nullptr;
    lock_file_.publish(unpublished_);
  }
  Preempted(const Preempted&) = delete;
  Preempted& operator=(const Preempted&) = delete;

  std::size_t durable() const { return unpublished_ - 1; }

 private:
  LockFile lock_file_;
  std::size_t unpublished_;
};

}  // namespace

TEST_CASE("a reader that is preempted before it copies the meta page shows no commit that is not durable") {
  const tests::TemporaryDirectory directory;
  const NumberedCommits commits(directory.path());
  { const LmdbRead takes_its_places(commits.environment()); }
  const Preempted preempted(directory.path());
  const LmdbRead read(commits.environment());
  CHECK(commits.shown_by(read) == preempted.durable());
}

TEST_CASE("the first reader of an environment shows no commit that is not durable either") {
  const tests::TemporaryDirectory directory;
  const NumberedCommits commits(directory.path());
  const Preempted preempted(directory.path());
  const LmdbRead first(commits.environment());
  CHECK(commits.shown_by(first) == preempted.durable());
}

TEST_CASE("a reader in another process shows no commit that is not durable") {
  const tests::TemporaryDirectory directory;
  const tests::Child writer([&](const tests::Child::SayReady& say_ready) {
    const NumberedCommits commits(directory.path());
    say_ready();
    return ::pause() == 0;
  });
  REQUIRE(writer.wait_until_ready());
  eventstore::UntouchedDatabase look(directory.path(), unsynced().map_bytes);
  REQUIRE(look.has_locks());
  const Preempted preempted(directory.path());
  CHECK(look.find("commits", "commit") == big_endian(preempted.durable()));
}

TEST_CASE("snapshots never go back, however often their threads are preempted") {
  constexpr int kReaders = 4;
  constexpr int kSnapshots = 200'000;
  const tests::TemporaryDirectory directory;
  NumberedCommits commits(directory.path());
  std::atomic<int> reading{kReaders};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      std::size_t newest = 0;
      for (int snapshot = 0; snapshot < kSnapshots; ++snapshot) {
        const LmdbRead read(commits.environment());
        const auto shown = commits.shown_by(read);
        if (shown < newest || shown != mdb_txn_id(read.get())) ++wrong;
        newest = std::max(newest, shown);
      }
      --reading;
    });
  }
  while (reading > 0) commits.commit();
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
}
